// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The whole writer against devices that fail, transfer in pieces, or are slow to answer: threads, modes
 * and engines never change a byte, and a failed run leaves no superblock.
 */
#include "kernel-shared/volumes.h"
#include "mkfs/mkfs.h"
#include "tests/unit/source-tree.h"

#define NR_IMAGES	2
#define IMAGE_SIZE	(192 * SZ_1M)

static const u64 super_offsets[] = { SZ_64K, 64 * SZ_1M };

static char *const image_paths[NR_IMAGES] = { "one", "two" };

static void fill(u8 *data, size_t len, u64 seed)
{
	size_t i;

	for (i = 0; i < len; i++) {
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		data[i] = (u8)(seed >> 56);
	}
}

static void make_tree(void)
{
	static const size_t sizes[] = { 0, 1, 100, 2048, 2049, 4096, 5000, 65536, 200000, 1048576, 3500001 };
	u8 *data = malloc(3500001);
	char path[64];
	size_t i;

	assert_non_null(data);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		fill(data, sizes[i], i + 1);
		snprintf(path, sizeof(path), "top/file%zu", i);
		make_file(path, data, sizes[i]);
	}
	assert_int_equal(mkdir("top/many", 0755), 0);
	for (i = 0; i < 400; i++) {
		snprintf(path, sizeof(path), "top/many/%zu", i);
		make_file(path, data, i * 13);
	}
	assert_int_equal(link("top/file8", "top/link"), 0);
	assert_int_equal(symlink("file8", "top/symlink"), 0);
	assert_int_equal(mkdir("top/many/inner", 0755), 0);
	assert_int_equal(link("top/file8", "top/many/inner/link"), 0);
	free(data);
}

static void make_images(void)
{
	unsigned i;

	for (i = 0; i < NR_IMAGES; i++) {
		unlink(image_paths[i]);
		make_file(image_paths[i], "", 0);
		assert_int_equal(truncate(image_paths[i], IMAGE_SIZE), 0);
	}
}

static struct mkfs_options base_options(void)
{
	static const struct source_subvolume_spec subvolumes[] = {
		{ .text = "many/inner", .path = "many/inner", .type = { .read_only = true } },
		{ .text = "many", .path = "many", .type = { .is_default = true } },
	};
	struct mkfs_options options = {
		.devices = image_paths,
		.nr_devices = NR_IMAGES,
		.rootdir = "top",
		.subvolumes = subvolumes,
		.nr_subvolumes = ARRAY_SIZE(subvolumes),
		.data_profile = BTRFS_BLOCK_GROUP_RAID0,
		.metadata_profile = BTRFS_BLOCK_GROUP_RAID1,
		.csum = csum_by_name("crc32c"),
		.seed = "test-mkfs-run",
		.has_epoch = true,
		.epoch = 1700000000,
		.csum_inline_max = SZ_4K,
	};

	assert_int_equal(mkfs_choose_features(&(struct mkfs_feature_wishes){ 0 }, &options), 0);
	return options;
}

static int run(const struct mkfs_options *options)
{
	struct mkfs_report report;
	int ret = mkfs_run(options, &report);

	mkfs_report_release(&report);
	return ret;
}

/* One number for the content of both images. */
static u64 digest_images(void)
{
	u8 *data = malloc(SZ_1M);
	u64 digest = 14695981039346656037ULL;
	unsigned i;

	assert_non_null(data);
	for (i = 0; i < NR_IMAGES; i++) {
		int fd = open(image_paths[i], O_RDONLY | O_CLOEXEC);
		u64 offset = 0, hash;
		ssize_t got;

		assert_true(fd >= 0);
		while ((got = read(fd, data, SZ_1M)) > 0) {
			const struct csum_algorithm *xxhash = csum_by_name("xxhash");

			xxhash->digest(data, (size_t)got, (u8 *)&hash);
			digest = (digest ^ hash ^ offset) * 1099511628211ULL;
			offset += (u64)got;
		}
		close(fd);
		assert_int_equal(offset, IMAGE_SIZE);
	}
	free(data);
	return digest;
}

static void assert_no_super(void)
{
	unsigned i;
	size_t s;

	for (i = 0; i < NR_IMAGES; i++) {
		int fd = open(image_paths[i], O_RDONLY | O_CLOEXEC);

		assert_true(fd >= 0);
		for (s = 0; s < ARRAY_SIZE(super_offsets); s++) {
			char magic[8] = "";

			assert_int_equal(pread(fd, magic, sizeof(magic), (off_t)super_offsets[s] + 64), sizeof(magic));
			assert_memory_not_equal(magic, "_BHRfS_M", sizeof(magic));
		}
		close(fd);
	}
}

static int setup(void **state)
{
	int ret = scratch_setup(state);

	if (!ret)
		ret = csum_init();
	make_tree();
	make_images();
	return ret;
}

static void test_twins(void **state)
{
	static const int threads[] = { 0, 1, 3 };
	static const enum io_ring_kind rings[] = { IO_RING_SYNC, IO_RING_AUTO };
	struct mkfs_options options = base_options();
	enum mkfs_csum_mode mode;
	size_t t, r;
	u64 first;

	(void)state;
	options.csum_threads = 0;
	options.csum_mode = MKFS_CSUM_INLINE;
	options.ring = IO_RING_SYNC;
	assert_int_equal(run(&options), 0);
	first = digest_images();
	for (t = 0; t < ARRAY_SIZE(threads); t++) {
		for (mode = MKFS_CSUM_INLINE; mode <= MKFS_CSUM_OVERLAP; mode++) {
			for (r = 0; r < ARRAY_SIZE(rings); r++) {
				options.csum_threads = threads[t];
				options.csum_mode = mode;
				options.ring = rings[r];
				options.short_io = t == 1;
				make_images();
				assert_int_equal(run(&options), 0);
				assert_int_equal(digest_images(), first);
			}
		}
	}
	/* the digest sees a difference */
	options.seed = "another";
	make_images();
	assert_int_equal(run(&options), 0);
	assert_int_not_equal(digest_images(), first);
}

/* Each write fails once, until there are no more. */
static void fail_everywhere(enum io_ring_kind ring, enum mkfs_csum_mode mode, int err)
{
	struct mkfs_options options = base_options();
	u64 nr;
	int ret = -1;

	options.ring = ring;
	options.csum_mode = mode;
	options.csum_threads = 2;
	options.fail_errno = err;
	for (nr = 1; nr < 1000 && ret; nr++) {
		make_images();
		options.fail_at = nr;
		ret = run(&options);
		if (!ret)
			break;
		assert_int_equal(ret, -err);
		assert_no_super();
	}
	assert_int_equal(ret, 0);
	assert_in_range(nr, 8, 900);	/* there was something to fail */
}

static void test_write_fails(void **state)
{
	(void)state;
	fail_everywhere(IO_RING_SYNC, MKFS_CSUM_OFFLOAD, EIO);
	fail_everywhere(IO_RING_AUTO, MKFS_CSUM_OVERLAP, ENOSPC);
}

struct stop_after {
	volatile sig_atomic_t *stop;
	unsigned calls;
};

static void count_down(void *arg, const struct mkfs_progress *progress)
{
	struct stop_after *after = arg;

	assert_true(progress->bytes_done <= progress->bytes_total);
	assert_true(progress->entries_done <= progress->entries_total);
	if (!after->calls--)
		*after->stop = SIGINT;
}

/* Slow devices give time to be interrupted: in the middle of the data, or at its end. */
static void test_stop(void **state)
{
	volatile sig_atomic_t stop = 0;
	struct stop_after after = { .stop = &stop };
	struct mkfs_options options = base_options();
	unsigned calls;

	(void)state;
	options.stop = &stop;
	options.progress = count_down;
	options.progress_arg = &after;
	options.device_rate = 4 * SZ_1M;
	options.csum_threads = 2;
	for (calls = 0; calls < 2; calls++) {
		stop = 0;
		after.calls = calls;
		make_images();
		assert_int_equal(run(&options), -EINTR);
		assert_no_super();
	}
	/* before it begins */
	stop = SIGTERM;
	assert_int_equal(run(&options), -EINTR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_twins, setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_write_fails, setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_stop, setup, scratch_teardown),
	};

	/* worker_pool: these are worth the thread sanitizer */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
