// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The writer from start to end, as its list of phases. See mkfs.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/message.h"
#include "common/units.h"
#include "kernel-shared/file-item.h"
#include "mkfs/writer-internal.h"

#define DEFAULT_BUFFER_MEMORY	((u64)128 << 20)
#define DEFAULT_METADATA_MEMORY	((u64)256 << 20)
#define DEFAULT_DEDUPE_MEMORY	(256 * SZ_1M)
#define PROGRESS_INTERVAL	0.2	/* seconds */

double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

/* What the survey said, in the units in which the importer counts; a tree that grows has more. */
static void report_progress(struct writer *writer, bool last)
{
	const struct mkfs_options *options = writer->options;
	const struct source_totals *totals = &writer->totals;
	struct mkfs_progress progress = {
		.seconds = seconds_since(&writer->start),
		.nr_devices = writer->set.nr,
		.last = last,
	};

	if (!options->progress || writer->silent ||
	    (!last && progress.seconds - writer->last_progress < PROGRESS_INTERVAL))
		return;
	writer->last_progress = progress.seconds;
	progress.bytes_done = importer_bytes(writer->importer);
	progress.bytes_total = MAX(totals->data_sectors * writer->layout.sectorsize + totals->inline_bytes,
				   progress.bytes_done);
	progress.entries_done = importer_result(writer->importer)->entries;
	progress.entries_total = MAX(totals->entries, progress.entries_done);
	options->progress(options->progress_arg, &progress);
}

static void tick(void *arg)
{
	report_progress(arg, false);
}

static struct source_options source_options(const struct writer *writer)
{
	return (struct source_options){
		.path = writer->options->rootdir,
		.one_file_system = writer->options->one_file_system,
		.subvolumes = writer->subvolumes,
		.rules = writer->options->rules,
		.now = writer->layout.now,
		.skip = writer->identities,
		.nr_skip = writer->set.nr,
		.stop = writer->options->stop,
	};
}

/* ---- phases; each returns 0 or -errno, printed ---- */

/* A new file gets its real size when the content is known, if nothing else says how large it is. */
static u64 first_size(const struct mkfs_options *options)
{
	if (options->byte_count)
		return ALIGN_DOWN(options->byte_count, SZ_4K);
	return options->rootdir ? SZ_1M : 0;
}

static int open_targets(struct writer *writer)
{
	const struct mkfs_options *options = writer->options;
	const struct io_write_options access = {
		.direct = options->direct,
		.create_size = first_size(options),
		.offset = options->offset,
		.length = options->length,
	};
	int ret = io_device_set_open_write(&writer->set, options->devices, options->nr_devices, &access);

	if (ret)
		return ret;
	writer->opened = true;
	writer->sizes = calloc(writer->set.nr, sizeof(*writer->sizes));
	if (!writer->sizes)
		return -ENOMEM;
	return targets_check(&writer->set, options, writer->layout.sectorsize, writer->sizes);
}

static int identify_targets(struct writer *writer)
{
	unsigned i;

	writer->identities = calloc(writer->set.nr, sizeof(*writer->identities));
	if (!writer->identities)
		return -ENOMEM;
	for (i = 0; i < writer->set.nr; i++) {
		if (writer->set.devices[i].is_block)
			continue;
		writer->identities[i].dev = writer->set.devices[i].dev;
		writer->identities[i].ino = writer->set.devices[i].ino;
	}
	return 0;
}

static int find_subvolumes(struct writer *writer)
{
	const struct mkfs_options *options = writer->options;

	if (!options->nr_subvolumes)
		return 0;
	return source_subvolumes_create(&writer->subvolumes, options->rootdir, options->subvolumes,
					options->nr_subvolumes);
}

static int survey_source(struct writer *writer)
{
	const struct mkfs_layout *layout = &writer->layout;
	struct source_options options;
	int ret = identify_targets(writer);

	if (ret || !writer->options->rootdir)
		return ret;
	ret = find_subvolumes(writer);
	if (ret)
		return ret;
	options = source_options(writer);
	ret = source_survey(&options, layout->sectorsize, btrfs_max_inline(layout->nodesize, layout->sectorsize),
			    &writer->totals);
	return ret ? ret : source_dir_open(&writer->source, &options);
}

static int wipe_targets(struct writer *writer)
{
	writer->wiped = true;
	return targets_wipe(&writer->set, writer->options, writer->sizes);
}

static int start_space(struct writer *writer)
{
	int ret = chunk_allocator_init(&writer->alloc, writer->sizes, writer->set.nr,
				       (const u8 (*)[BTRFS_UUID_SIZE])writer->layout.device_uuids);

	writer->alloc.nodesize = writer->layout.nodesize;
	writer->alloc.fitted = writer->fitted;
	writer->alloc.inexact = writer->inexact;
	writer->data = (struct data_space){
		.alloc = &writer->alloc, .type = writer->layout.data_type, .expected = writer->expected.data,
	};
	return ret;
}

/* Before the data; but where chunks are fitted, behind it, when it is known how many there are. */
static int start_system(struct writer *writer)
{
	return chunk_allocate(&writer->alloc, writer->layout.system_type,
			      space_system_chunk(&writer->layout, &writer->alloc, writer->expected.metadata),
			      &writer->system);
}

/* Buffers for two windows of the widest chunk, and for what is being filled, at least. */
static u64 buffer_bytes(const struct writer *writer)
{
	u64 asked = writer->options->buffer_memory ? writer->options->buffer_memory : DEFAULT_BUFFER_MEMORY;
	u64 least = (u64)DATA_BLOCK_SIZE * (2 * writer->set.nr + 2 * BTRFS_MAX_LEVEL);

	return MAX(asked, least);
}

static int start_engine(struct writer *writer)
{
	const struct mkfs_options *options = writer->options;
	const struct write_stage_options write = {
		.set = &writer->set,
		.chunks = &writer->alloc.chunks,
		.may_clone = options->reflink,
		.must_clone = options->reflink == MKFS_REFLINK_ALWAYS,
		.ring = {
			.kind = writer->imagined ? IO_RING_NULL : options->ring,
			.depth = options->queue_depth,
			.device_rate = options->device_rate,
			.nr_devices = writer->set.nr,
			.fail_at = options->fail_at,
			.fail_errno = options->fail_errno,
			.short_io = options->short_io,
		},
	};
	int ret;

	writer->report->csum_threads = options->csum_threads == MKFS_THREADS_AUTO ?
		worker_pool_online_cpus() : (unsigned)options->csum_threads;
	writer->report->csum_mode = options->csum_mode == MKFS_CSUM_AUTO ? MKFS_CSUM_OFFLOAD : options->csum_mode;
	ret = buffer_pool_create(&writer->buffers, buffer_bytes(writer), DATA_BLOCK_SIZE);
	if (ret) {
		error("cannot have %llu bytes (%s) of memory for data: %s; choose less with --buffer-memory",
		      (unsigned long long)buffer_bytes(writer), format_size(buffer_bytes(writer)).text, strerror(-ret));
		return -EINVAL;
	}
	ret = worker_pool_create(&writer->workers, writer->report->csum_threads);
	if (ret && ret != -ENOMEM)
		error("cannot start %u checksum threads: %s; choose fewer with --csum-threads",
		      writer->report->csum_threads, strerror(-ret));
	if (!ret)
		ret = write_stage_create(&writer->write, &write);
	if (!ret && options->dedupe)
		ret = dedupe_table_create(&writer->dedupe, options->dedupe_memory ? options->dedupe_memory :
					  DEFAULT_DEDUPE_MEMORY);
	return ret;
}

static int start_importer(struct writer *writer)
{
	const struct mkfs_options *options = writer->options;
	const struct importer_options importer = {
		.layout = &writer->layout,
		.mkfs = options,
		.pipeline = {
			.layout = &writer->layout,
			.buffers = writer->buffers,
			.workers = writer->workers,
			.write = writer->write,
			.space = &writer->data,
			.mode = writer->report->csum_mode,
			.inline_max = options->csum_inline_max,
			.reflink = options->reflink && !writer->imagined,
			.compress = mkfs_compression_types(options) != 0,
			.dedupe = options->dedupe,
			.dedupe_table = writer->dedupe,
			.stop = options->stop,
			.tick = tick,
			.tick_arg = writer,
		},
		.metadata_memory = options->metadata_memory ? options->metadata_memory : DEFAULT_METADATA_MEMORY,
	};
	int ret = importer_create(&writer->importer, &importer);

	if (ret)
		return ret;
	importer_set_source(writer->importer, writer->source);
	writer->source = NULL;
	return 0;
}

static int populate(struct writer *writer)
{
	int ret = start_space(writer);

	if (!ret && !writer->fitted)
		ret = start_system(writer);
	if (!ret)
		ret = start_engine(writer);
	if (!ret)
		ret = start_importer(writer);
	if (!ret)
		ret = importer_run(writer->importer);
	if (!ret)
		report_progress(writer, true);
	if (ret == -ENOSPC && !writer->silent && !(writer->write && write_stage_error(writer->write)))
		space_exhausted(&writer->layout, &writer->alloc, "data", writer->data.total);
	return ret;
}

static int finish_data(struct writer *writer)
{
	struct data_space *data = &writer->data;

	if (!data->chunk)
		return data_space_keep_profile(data);
	write_stage_finish_data(writer->write, data->chunk->start + data->chunk_used);
	chunk_trim_last(&writer->alloc, MAX(data->chunk_used, SZ_1M));
	return 0;
}

static int plan_trees(struct writer *writer)
{
	int ret = finish_data(writer);

	if (!ret && writer->fitted)
		ret = start_system(writer);
	if (ret)
		return ret;
	if (importer_result(writer->importer)->verity_files)
		writer->layout.compat_ro |= BTRFS_FEATURE_COMPAT_RO_VERITY;
	mkfs_layout_mark_compression(&writer->layout, importer_result(writer->importer)->compression_types);
	writer->metadata = (struct metadata){
		.layout = &writer->layout,
		.alloc = &writer->alloc,
		.data = &writer->data,
		.import = importer_result(writer->importer),
		.headroom = writer->headroom,
		.least_headroom = writer->least_headroom,
	};
	if (writer->metadata.import->subvolumes.default_number != SUBVOLUME_TOP)
		writer->layout.incompat |= BTRFS_FEATURE_INCOMPAT_DEFAULT_SUBVOL;
	ret = metadata_plan(&writer->metadata, writer->system);
	if (ret == -ENOSPC && !writer->silent)
		space_exhausted(&writer->layout, &writer->alloc, "metadata", metadata_tree_bytes(&writer->metadata));
	return ret;
}

static int load_trees(struct writer *writer)
{
	const struct tree_output output = {
		.layout = &writer->layout,
		.chunks = &writer->alloc.chunks,
		.buffers = writer->buffers,
		.write = writer->write,
		.stop = writer->options->stop,
	};

	return metadata_load(&writer->metadata, &output);
}

static int commit(struct writer *writer)
{
	double before = seconds_since(&writer->start);
	int ret;

	if (writer->options->stop && *writer->options->stop)
		return -EINTR;
	ret = commit_supers(&writer->set, &writer->metadata);
	writer->report->flush_seconds = seconds_since(&writer->start) - before;
	return ret;
}

static int read_back(struct writer *writer)
{
	double before = seconds_since(&writer->start);
	int ret = writer->options->verify(writer->options->verify_arg, &writer->set);

	writer->report->verify_seconds = seconds_since(&writer->start) - before;
	return ret;
}

static int publish(struct writer *writer)
{
	double before = seconds_since(&writer->start);
	int ret = io_device_set_publish(&writer->set);

	writer->report->flush_seconds += seconds_since(&writer->start) - before;
	return ret;
}

struct phase {
	const char *name;
	int (*run)(struct writer *writer);
	enum {
		PHASE_ALWAYS,
		PHASE_TARGETS,	/* not where a whole run is imagined: the targets are looked at before */
		PHASE_WRITES,	/* not where nothing is written */
	} when;
};

static const struct phase phases[] = {
	{ "open the targets", open_targets, PHASE_TARGETS },
	{ "survey the source", survey_source, PHASE_ALWAYS },
	{ "check the space", writer_choose_policy, PHASE_ALWAYS },
	{ "wipe the targets", wipe_targets, PHASE_WRITES },
	{ "populate", populate, PHASE_ALWAYS },
	{ "plan the trees", plan_trees, PHASE_ALWAYS },
	{ "settle the sizes", writer_settle_sizes, PHASE_ALWAYS },
	{ "load the trees", load_trees, PHASE_WRITES },
	{ "commit", commit, PHASE_WRITES },
	{ "read back", read_back, PHASE_WRITES },
	{ "publish", publish, PHASE_WRITES },
};

static bool is_skipped(const struct writer *writer, const struct phase *phase)
{
	if (phase->run == read_back && !writer->options->verify)
		return true;
	return (phase->when == PHASE_TARGETS && writer->silent) || (phase->when == PHASE_WRITES && writer->imagined);
}

void writer_release(struct writer *writer, bool failed)
{
	metadata_release(&writer->metadata);
	importer_destroy(writer->importer);
	source_destroy(writer->source);
	source_subvolumes_destroy(writer->subvolumes);
	write_stage_destroy(writer->write);
	worker_pool_destroy(writer->workers);
	dedupe_table_destroy(writer->dedupe);
	buffer_pool_destroy(writer->buffers);
	data_space_release(&writer->data);
	chunk_allocator_release(&writer->alloc);
	if (failed && writer->wiped)
		targets_void(&writer->set, writer->sizes);
	if (writer->opened)
		io_device_set_close(&writer->set);
	mkfs_layout_release(&writer->layout);
	free(writer->identities);
	free(writer->sizes);
}

int writer_run_phases(struct writer *writer)
{
	const struct mkfs_options *options = writer->options;
	int ret = mkfs_layout_init(&writer->layout, options);
	size_t i;

	for (i = 0; !ret && i < ARRAY_SIZE(phases); i++) {
		double before = seconds_since(&writer->start);

		if (is_skipped(writer, &phases[i]))
			continue;
		ret = phases[i].run(writer);
		if (!ret && options->phase_done && !writer->silent)
			options->phase_done(options->phase_arg, phases[i].name, seconds_since(&writer->start) - before);
		if (ret == -ENOMEM)
			error("out of memory (to %s)", phases[i].name);
	}
	return ret;
}

int mkfs_run(const struct mkfs_options *options, struct mkfs_report *report)
{
	struct writer writer = { .options = options, .report = report, .imagined = options->dry_run };
	int ret;

	memset(report, 0, sizeof(*report));
	clock_gettime(CLOCK_MONOTONIC, &writer.start);
	ret = writer_run_phases(&writer);
	if (!ret)
		ret = writer_fill_report(&writer, report);
	writer_release(&writer, ret != 0);
	return ret;
}
