/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data pipeline between files that do not exist and image files that do. The functions of
 * source/file.c that READ calls are here: files with holes, that shrink, that cannot be read, or that are
 * slow, as a test likes. What PLACE reports is recorded. For one program only: it defines them.
 */
#ifndef BO_TESTS_PIPELINE_FIXTURE_H
#define BO_TESTS_PIPELINE_FIXTURE_H

#include "tests/unit/image-files.h"

#include "mkfs/pipeline.h"

#define FAKE_MAX_RANGES	4
#define MAX_FILES	32
#define MAX_EVENTS	2048
#define MAX_PLACED	(96 * SZ_1M)

/* ---- files ---- */

struct fake_range {
	u64 start;
	u64 end;
};

struct source_file {
	char name[32];
	u64 size;		/* that it had when it was listed */
	u64 left;		/* that it has now: less means changed */
	struct fake_range ranges[FAKE_MAX_RANGES];
	unsigned nr_ranges;
	u64 error_offset;	/* reading this byte fails with ->error */
	int error;		/* 0: never */
	unsigned delay;		/* microseconds, of each read */
	unsigned refs;		/* beside that of the test */
	unsigned clones;	/* asked for: some fail */
};

/*
 * Bytes that depend on the file's size and differ between all of its sectors; zeros in holes. One memset()
 * tells the thread sanitizer what is written: to look at each byte would take it most of the test.
 */
__attribute__((no_sanitize("thread")))
static inline void fake_content(const struct source_file *file, u8 *to, u64 offset, u64 len)
{
	const u64 end = MIN(offset + len, file->left), salt = file->size * 31;
	unsigned i;

	memset(to, 0, len);
	for (i = 0; i < file->nr_ranges; i++) {
		const u64 stop = MIN(end, file->ranges[i].end);
		u64 at = MAX(offset, file->ranges[i].start);

		for (; at < stop; at++)
			to[at - offset] = (u8)(salt + at * 7 + ((u32)(at >> 12) * 0x9e3779b1 >> (at & 3) * 8));
	}
}

int source_file_read(struct source_file *file, void *buf, u64 offset, size_t len, size_t *got,
		     enum source_file_state *state)
{
	if (file->delay)
		usleep(file->delay + (unsigned)(offset / SZ_1M * 7919 % 200));
	memset(buf, 0, len);
	*got = 0;
	if (file->error && offset <= file->error_offset && file->error_offset < offset + len)
		return file->error;
	if (offset < file->left)
		*got = (size_t)MIN((u64)len, file->left - offset);
	fake_content(file, buf, offset, *got);
	if (file->left != file->size)
		*state = SOURCE_FILE_CHANGED;
	return 0;
}

int source_file_next_data(struct source_file *file, u64 offset, u64 *start, u64 *end)
{
	unsigned i;

	for (i = 0; i < file->nr_ranges; i++) {
		if (file->ranges[i].end <= offset)
			continue;
		*start = MAX(offset, file->ranges[i].start);
		*end = file->ranges[i].end;
		return 1;
	}
	return 0;
}

char *source_file_path(const struct source_file *file)
{
	return strdup(file->name);
}

u64 source_file_size(const struct source_file *file)
{
	return file->size;
}

struct source_file *source_file_get(struct source_file *file)
{
	file->refs++;
	return file;
}

void source_file_put(struct source_file *file)
{
	if (!file)
		return;
	assert_true(file->refs > 0);
	file->refs--;
}

/* What a host that shares blocks would do, seen from behind. */
int source_file_clone(struct source_file *file, u64 offset, u64 len, int fd, u64 dest)
{
	static const int errors[] = { 0, -EBUSY, 0, 0, -EOPNOTSUPP };
	const int ret = errors[file->clones++ % ARRAY_SIZE(errors)];
	u8 *content;

	assert_true(file->refs > 0);
	assert_true(len > 0 && IS_ALIGNED(offset | len | dest, SZ_4K) && offset + len <= file->size);
	if (ret)
		return ret;
	content = aligned_alloc(SZ_4K, len);
	assert_non_null(content);
	fake_content(file, content, offset, len);
	assert_int_equal(pwrite(fd, content, len, (off_t)dest), len);
	free(content);
	return 0;
}

void source_file_close(struct source_file *file)
{
	(void)file;
}

/* The library's code is not instrumented: let the thread sanitizer see that the block is read. */
static inline void seen_digest(const void *data, size_t len, u8 *out)
{
	const volatile u8 *bytes = data;

	(void)bytes[0];
	(void)bytes[len - 1];
	csum_by_name("crc32c")->digest(data, len, out);
}

static const struct csum_algorithm seen_csum = { .name = "crc32c", .size = 4, .digest = seen_digest };

/* ---- what PLACE reports ---- */

struct place_event {
	char what;		/* 'e'xtent, 'c'ompressed one, 'd'ata that is shared, 'i'nline, 's'egment */
	unsigned file;
	u64 offset;		/* in the file; of a segment: where it ended */
	u64 logical;		/* of inline data: a sum of the bytes */
	u64 len;		/* of a segment: its state */
	u64 disk_len;		/* where it is compressed */
};

struct record {
	struct place_event events[MAX_EVENTS];
	unsigned nr;
	u8 *csums;
	size_t csum_bytes;
	size_t csum_room;
	unsigned fail_at;	/* this call, from 1, fails with -EDOM; 0: none */
	unsigned calls;
};

/* ---- a pipeline and all that it needs ---- */

struct pipeline_setup {
	unsigned threads;
	enum mkfs_csum_mode mode;
	struct io_ring_options ring;
	unsigned devices;	/* 0: 2 */
	u64 device_size;	/* 0: 32 MiB */
	u64 profile;
	u32 sectorsize;		/* 0: 4096 */
	u32 inline_max;
	size_t buffers;		/* 0: 8 */
	const struct csum_algorithm *csum;	/* NULL: seen_csum */
	enum mkfs_dedupe dedupe;
	struct compression compress;
	bool reflink;
};

struct pipeline_test {
	struct pipeline_setup setup;
	struct image_files images;
	struct mkfs_layout layout;
	struct buffer_pool *buffers;
	struct worker_pool *workers;
	struct write_stage *write;
	struct data_space space;
	struct dedupe_table *known;
	struct pipeline *pipeline;
	struct record record;
	struct source_file files[MAX_FILES];
	struct import_file imports[MAX_FILES];
	unsigned nr_files;
	struct place_event expected[MAX_EVENTS];	/* segments, in the order of submission */
	unsigned nr_expected;
	u64 inline_bytes;	/* of these */
	struct data_block *block;	/* being filled */
	volatile sig_atomic_t stop;
	unsigned ticks;
};

static inline int record_call(struct record *record)
{
	return ++record->calls == record->fail_at ? -EDOM : 0;
}

static inline int record_event(struct pipeline_test *test, const struct import_file *file, struct place_event event)
{
	struct record *record = &test->record;

	assert_true(record->nr < MAX_EVENTS);
	event.file = (unsigned)(file - test->imports);
	record->events[record->nr++] = event;
	return record_call(record);
}

static inline int on_extent(void *arg, struct import_file *file, u64 offset, u64 logical, u64 len)
{
	return record_event(arg, file, (struct place_event){
		.what = 'e', .offset = offset, .logical = logical, .len = len,
	});
}

static inline int on_shared(void *arg, struct import_file *file, u64 offset, const struct dedupe_place *place, u64 len)
{
	assert_true(place->offset + len <= place->ram_len);
	return record_event(arg, file, (struct place_event){
		.what = 'd', .offset = offset, .logical = place->bytenr + place->offset, .len = len,
	});
}

static inline int on_compressed(void *arg, struct import_file *file, const struct data_extent *extent)
{
	assert_true(extent->disk_len < extent->len);
	return record_event(arg, file, (struct place_event){
		.what = 'c', .offset = extent->offset, .logical = extent->place.bytenr, .len = extent->len,
		.disk_len = extent->disk_len,
	});
}

static inline int on_inline(void *arg, struct import_file *file, const void *data, const struct data_segment *segment)
{
	const u32 len = segment->stored;
	const u8 *bytes = data;
	u64 sum = 0;
	u32 i;

	for (i = 0; i < len; i++)
		sum = sum * 31 + bytes[i];
	return record_event(arg, file, (struct place_event){ .what = 'i', .logical = sum, .len = len });
}

static inline int on_segment(void *arg, struct import_file *file, const struct data_segment *segment)
{
	return record_event(arg, file, (struct place_event){
		.what = 's', .offset = segment->end, .len = segment->state,
	});
}

static inline int on_csums(void *arg, const u8 *csums, u32 nr)
{
	struct pipeline_test *test = arg;
	struct record *record = &test->record;
	const size_t len = (size_t)nr * test->layout.csum->size;

	assert_true(record->csum_bytes + len <= record->csum_room);
	memcpy(record->csums + record->csum_bytes, csums, len);
	record->csum_bytes += len;
	return record_call(record);
}

static inline void on_tick(void *arg)
{
	struct pipeline_test *test = arg;

	test->ticks++;
}

static inline void start_write_stage(struct pipeline_test *test)
{
	struct write_stage_options options = {
		.set = &test->images.set,
		.chunks = &test->images.alloc.chunks,
		.ring = test->setup.ring,
		.may_clone = test->setup.reflink,
	};

	options.ring.nr_devices = test->images.set.nr;
	assert_int_equal(write_stage_create(&test->write, &options), 0);
}

static inline void pipeline_setup(struct pipeline_test *test, const struct pipeline_setup *setup)
{
	struct pipeline_options options;

	memset(test, 0, sizeof(*test));
	test->setup = *setup;
	test->layout.sectorsize = setup->sectorsize ? setup->sectorsize : SZ_4K;
	test->layout.csum = setup->csum ? setup->csum : &seen_csum;
	test->record.csum_room = MAX_PLACED / test->layout.sectorsize * test->layout.csum->size;
	test->record.csums = malloc(test->record.csum_room);
	assert_non_null(test->record.csums);
	image_files_init(&test->images, setup->devices ? setup->devices : 2,
			 setup->device_size ? setup->device_size : 32 * SZ_1M);
	test->space = (struct data_space){
		.alloc = &test->images.alloc, .type = BTRFS_BLOCK_GROUP_DATA | setup->profile,
	};
	assert_int_equal(buffer_pool_create(&test->buffers, (setup->buffers ? setup->buffers : 8) * DATA_BLOCK_SIZE,
					    DATA_BLOCK_SIZE), 0);
	assert_int_equal(worker_pool_create(&test->workers, setup->threads), 0);
	start_write_stage(test);
	if (setup->dedupe)
		assert_int_equal(dedupe_table_create(&test->known, SZ_1M), 0);
	options = (struct pipeline_options){
		.layout = &test->layout,
		.buffers = test->buffers,
		.workers = test->workers,
		.write = test->write,
		.space = &test->space,
		.mode = setup->mode,
		.inline_max = setup->inline_max,
		.reflink = setup->reflink,
		.compress = setup->compress.type != COMPRESSION_NONE,
		.dedupe = setup->dedupe,
		.dedupe_table = test->known,
		.ops = {
			.extent = on_extent,
			.compressed = on_compressed,
			.shared = on_shared,
			.inline_data = on_inline,
			.segment = on_segment,
			.csums = on_csums,
			.arg = test,
		},
		.stop = &test->stop,
		.tick = on_tick,
		.tick_arg = test,
	};
	assert_int_equal(pipeline_create(&test->pipeline, &options), 0);
}

/* However it ended: every buffer is in the pool again when the pipeline is gone. */
static inline void pipeline_teardown(struct pipeline_test *test)
{
	if (test->block)
		pipeline_put_back(test->pipeline, test->block);
	pipeline_destroy(test->pipeline);
	assert_int_equal(buffer_pool_free(test->buffers), buffer_pool_nr(test->buffers));
	while (test->nr_files)
		assert_int_equal(test->files[--test->nr_files].refs, 0);
	write_stage_destroy(test->write);
	worker_pool_destroy(test->workers);
	dedupe_table_destroy(test->known);
	data_space_release(&test->space);
	buffer_pool_destroy(test->buffers);
	image_files_release(&test->images);
	free(test->record.csums);
}

/* ---- filling blocks, as the importer does ---- */

static inline unsigned add_fake(struct pipeline_test *test, const struct source_file *file)
{
	const unsigned nr = test->nr_files++;

	assert_true(nr < MAX_FILES);
	test->files[nr] = *file;
	if (test->setup.threads && !file->delay)
		test->files[nr].delay = nr * 7919 % 300;
	test->imports[nr] = (struct import_file){
		.ino = 257 + nr, .size = file->size, .source = &test->files[nr],
		.compress = test->setup.compress,
	};
	return nr;
}

/* Sends away the block that is being filled. 0 or -errno of the pipeline. */
static inline int finish_block(struct pipeline_test *test)
{
	struct data_block *block = test->block;

	test->block = NULL;
	return block ? pipeline_submit(test->pipeline, block) : 0;
}

static inline int begin_block(struct pipeline_test *test, enum data_block_kind kind)
{
	int ret = finish_block(test);

	if (!ret) {
		test->block = pipeline_get(test->pipeline, kind, &ret);
		assert_true(!test->block == (ret != 0));
	}
	return ret;
}

static inline void expect_segment(struct pipeline_test *test, unsigned nr, const struct data_segment *segment)
{
	const struct source_file *file = &test->files[nr];

	assert_true(test->nr_expected < MAX_EVENTS);
	test->expected[test->nr_expected++] = (struct place_event){
		.what = 's',
		.file = nr,
		.offset = MAX(MIN(segment->offset + segment->len, file->left), segment->offset),
		.len = file->left == file->size ? SOURCE_FILE_SAME : SOURCE_FILE_CHANGED,
	};
	if (test->block->kind == DATA_BLOCK_INLINE)
		test->inline_bytes += file->left;
}

static inline int add_to_block(struct pipeline_test *test, unsigned nr, struct data_segment segment)
{
	struct data_block *block = test->block;
	const u32 len = block->kind == DATA_BLOCK_INLINE ? segment.len :
							   ALIGN_UP(segment.len, test->layout.sectorsize);

	assert_true(block->planned + len <= DATA_BLOCK_SIZE && block->nr_segments < DATA_BLOCK_SEGMENTS);
	expect_segment(test, nr, &segment);
	segment.file = &test->imports[nr];
	segment.file->segments++;
	block->segments[block->nr_segments++] = segment;
	block->planned += len;
	return 0;
}

static inline int add_whole(struct pipeline_test *test, unsigned nr)
{
	return add_to_block(test, nr, (struct data_segment){ .len = (u32)test->files[nr].size, .whole = true });
}

/* All of a big file, cut at the ends of blocks; begins in the block that is there. */
static inline int add_ranges(struct pipeline_test *test, unsigned nr)
{
	u64 offset = 0;
	int ret = 0;

	while (!ret && offset < test->files[nr].size) {
		u32 len;

		if (!test->block || test->block->planned == DATA_BLOCK_SIZE)
			ret = begin_block(test, DATA_BLOCK_REGULAR);
		if (ret)
			break;
		len = (u32)MIN(test->files[nr].size - offset, (u64)(DATA_BLOCK_SIZE - test->block->planned));
		ret = add_to_block(test, nr, (struct data_segment){ .offset = offset, .len = len });
		offset += len;
	}
	return ret;
}

#endif
