// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Merges runs of checksummed sectors into large reads: see data-piece.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/checked.h"
#include "scrub/data-piece.h"

static unsigned prepare_piece(struct queue_item *item, struct scrub *run);
static int report_piece(struct queue_item *item, struct scrub *run);
static void destroy_piece(struct queue_item *item);

static const struct queue_item_ops piece_ops = {
	.prepare = prepare_piece,
	.report = report_piece,
	.destroy = destroy_piece,
};

static struct data_piece *piece_of(struct queue_item *item)
{
	return (struct data_piece *)((char *)item - offsetof(struct data_piece, item));
}

struct data_piece *data_piece_create(const struct btrfs_image *image, const struct btrfs_device *device,
				     u64 physical, int copy)
{
	const size_t sums = PIECE_BYTES / image->check.sectorsize * (size_t)image->check.csum_size;
	struct data_piece *piece = malloc(sizeof(*piece) + sums);

	if (!piece)
		return NULL;
	memset(piece, 0, sizeof(*piece));
	piece->image = image;
	piece->device = device;
	piece->physical = physical;
	piece->copy = copy;
	piece->item = (struct queue_item){
		.job.run = data_piece_verify,
		.ops = &piece_ops,
		.requests = &piece->request,
		.nr_buffers = 1,
	};
	return piece;
}

void data_piece_destroy(struct data_piece *piece)
{
	if (piece)
		free(piece->bad);
	free(piece);
}

static void destroy_piece(struct queue_item *item)
{
	data_piece_destroy(piece_of(item));
}

/* The segment that sectors at this place go on with, or a new one. NULL: no more fit. */
static struct data_segment *segment_for(struct data_piece *piece, u32 offset, u64 logical)
{
	const u32 sectorsize = piece->image->check.sectorsize;
	struct data_segment *last = piece->nr_segments ? &piece->segments[piece->nr_segments - 1] : NULL;

	if (last && last->offset + last->nr_sectors * sectorsize == offset &&
	    last->logical + (u64)last->nr_sectors * sectorsize == logical)
		return last;
	if (piece->nr_segments == PIECE_MAX_SEGMENTS)
		return NULL;
	last = &piece->segments[piece->nr_segments++];
	*last = (struct data_segment){ .logical = logical, .offset = offset, .first_sum = piece->nr_sums };
	return last;
}

u32 data_piece_add(struct data_piece *piece, u64 physical, u64 logical, u32 nr_sectors, const u8 *sums)
{
	const u32 sectorsize = piece->image->check.sectorsize;
	const u32 csum_size = piece->image->check.csum_size;
	struct data_segment *segment;
	u32 offset;

	if (physical < piece->physical + piece->length ||
	    physical - (piece->physical + piece->length) > PIECE_MAX_GAP)
		return 0;
	offset = (u32)(physical - piece->physical);
	if (offset >= PIECE_BYTES)
		return 0;
	nr_sectors = MIN(nr_sectors, (PIECE_BYTES - offset) / sectorsize);
	segment = nr_sectors ? segment_for(piece, offset, logical) : NULL;
	if (!segment)
		return 0;
	memcpy(piece->sums + (size_t)piece->nr_sums * csum_size, sums, (size_t)nr_sectors * csum_size);
	piece->nr_sums += nr_sectors;
	segment->nr_sectors += nr_sectors;
	piece->length = offset + nr_sectors * sectorsize;
	return nr_sectors;
}

static unsigned prepare_piece(struct queue_item *item, struct scrub *run)
{
	struct data_piece *piece = piece_of(item);
	const struct io_device *io = piece->device->io;

	piece->no_read = range_exceeds(piece->physical, piece->length, io->size) ||
			 !IS_ALIGNED(piece->physical | piece->length, SZ_4K);
	if (piece->no_read)
		return 0;
	piece->iov = (struct iovec){ .iov_base = item->buffers[0], .iov_len = piece->length };
	piece->request = (struct io_request){
		.op = IO_READ,
		.fd = io->fd,
		.device = (unsigned)(piece->device - run->image->devices),
		.offset = io->base + piece->physical,
		.iov = &piece->iov,
		.nr_iov = 1,
	};
	return 1;
}

/* ---- report ---- */

void scrub_report_bad_run(struct scrub *run, u64 devid, int copy, const struct bad_run *bad)
{
	struct scrub_finding finding = scrub_new_finding(bad->error ? SCRUB_READ : SCRUB_DATA);
	struct scrub_counters *counters = scrub_device_counters(run->report, devid);

	if (bad->correctable)
		counters->correctable_errors += bad->nr_sectors;
	else
		counters->uncorrectable_errors += bad->nr_sectors;
	finding.correctable = bad->correctable;
	finding.logical = bad->logical;
	finding.length = (u64)bad->nr_sectors * run->image->check.sectorsize;
	finding.devid = devid;
	finding.physical = bad->physical;
	finding.copy = copy;
	if (bad->error == -ENODATA) {
		scrub_finding_text(&finding, "beyond the end of the device");
	} else if (bad->error) {
		scrub_finding_text(&finding, "read failed: %s", strerror(-bad->error));
	} else {
		scrub_finding_text(&finding, "checksum mismatch");
		finding.csum_size = (u8)run->image->check.csum_size;
		memcpy(finding.want, bad->want, finding.csum_size);
		memcpy(finding.got, bad->got, finding.csum_size);
	}
	scrub_add_finding(run->report, &finding);
}

static int report_piece(struct queue_item *item, struct scrub *run)
{
	const struct data_piece *piece = piece_of(item);
	struct scrub_counters *counters = scrub_device_counters(run->report, piece->device->devid);
	u32 i;

	counters->csum_errors += piece->sectors_bad;
	counters->read_errors += piece->sectors_unreadable;
	counters->data_bytes_scrubbed += (u64)piece->nr_sums * run->image->check.sectorsize;
	counters->last_physical = MAX(counters->last_physical, piece->physical + piece->length);
	for (i = 0; i < piece->nr_bad; i++)
		scrub_report_bad_run(run, piece->device->devid, piece->copy, &piece->bad[i]);
	if (piece->read_again) {
		counters->unverified_errors++;
		scrub_add_note(run->report,
			       "device %llu: a read at physical %llu failed, and worked when tried again",
			       (unsigned long long)piece->device->devid, (unsigned long long)piece->physical);
	}
	scrub_tick(run, (u64)piece->nr_sums * run->image->check.sectorsize);
	return piece->error;
}
