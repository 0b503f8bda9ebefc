// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The whole verifier over images of our own: with 0, 1 and 8 threads (worker_pool) the same report, and
 * reads that fail once.
 */
#include "kernel-shared/volumes.h"
#include "mkfs/mkfs.h"
#include "scrub/scrub.h"
#include "tests/unit/source-tree.h"

#define NR_IMAGES	2		/* raid1 */
#define NR_ROW_IMAGES	4		/* raid6 */
#define IMAGE_SIZE	(128 * SZ_1M)

static char *const image_paths[NR_ROW_IMAGES] = { "one", "two", "three", "four" };

static void make_tree(void)
{
	u8 *data = malloc(3000001);
	char path[64];
	size_t i;

	assert_non_null(data);
	for (i = 0; i < 3000001; i++)
		data[i] = (u8)(i * i >> 7);
	make_file("top/big", data, 3000001);
	assert_int_equal(mkdir("top/many", 0755), 0);
	for (i = 0; i < 300; i++) {
		snprintf(path, sizeof(path), "top/many/%zu", i);
		make_file(path, data + i, i * 31);
	}
	free(data);
}

static void make_filesystem(unsigned nr_images, u64 data_profile, u64 metadata_profile)
{
	struct mkfs_options options = {
		.devices = image_paths,
		.nr_devices = nr_images,
		.rootdir = "top",
		.data_profile = data_profile,
		.metadata_profile = metadata_profile,
		.csum = csum_by_name("xxhash"),
		.force = true,
		.csum_threads = 1,
	};
	struct mkfs_report report;
	unsigned i;

	assert_int_equal(mkfs_choose_features(&(struct mkfs_feature_wishes){ 0 }, &options), 0);
	for (i = 0; i < nr_images; i++) {
		make_file(image_paths[i], "", 0);
		assert_int_equal(truncate(image_paths[i], IMAGE_SIZE), 0);
	}
	assert_int_equal(mkfs_run(&options, &report), 0);
	mkfs_report_release(&report);
}

static int setup(void **state)
{
	int ret = scratch_setup(state);

	if (!ret)
		ret = csum_init();
	make_tree();
	make_filesystem(NR_IMAGES, BTRFS_BLOCK_GROUP_RAID0, BTRFS_BLOCK_GROUP_RAID1);
	return ret;
}

static int setup_rows(void **state)
{
	int ret = scratch_setup(state);

	if (!ret)
		ret = csum_init();
	make_tree();
	make_filesystem(NR_ROW_IMAGES, BTRFS_BLOCK_GROUP_RAID6, BTRFS_BLOCK_GROUP_RAID6);
	return ret;
}

static struct scrub_options base_options(unsigned threads)
{
	return (struct scrub_options){
		.paths = image_paths,
		.nr_paths = NR_IMAGES,
		.threads = threads,
		.max_findings = 1000,
	};
}

static void flip(const char *path, u64 offset)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	u8 byte;

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, &byte, 1, (off_t)offset), 1);
	byte ^= 0x10;
	assert_int_equal(pwrite(fd, &byte, 1, (off_t)offset), 1);
	close(fd);
}

static void assert_same_counters(const struct scrub_counters *a, const struct scrub_counters *b)
{
	const struct scrub_counter_name *counter;
	size_t i;

	for (i = 0; (counter = scrub_counter_at(i)); i++) {
		if (scrub_counter_value(a, counter->offset) != scrub_counter_value(b, counter->offset))
			fail_msg("%s differs", counter->name);
	}
}

static void assert_same_report(const struct scrub_report *a, const struct scrub_report *b)
{
	size_t i;

	assert_same_counters(&a->totals, &b->totals);
	assert_int_equal(a->nr_devices, b->nr_devices);
	for (i = 0; i < a->nr_devices; i++)
		assert_same_counters(&a->devices[i].stats, &b->devices[i].stats);
	assert_int_equal(a->nr_findings, b->nr_findings);
	for (i = 0; i < a->nr_findings; i++) {
		assert_int_equal(a->findings[i].kind, b->findings[i].kind);
		assert_int_equal(a->findings[i].devid, b->findings[i].devid);
		assert_int_equal(a->findings[i].physical, b->findings[i].physical);
		assert_int_equal(a->findings[i].length, b->findings[i].length);
		assert_int_equal(a->findings[i].correctable, b->findings[i].correctable);
		assert_string_equal(a->findings[i].text, b->findings[i].text);
	}
	assert_int_equal(a->nr_notes, b->nr_notes);
	for (i = 0; i < a->nr_notes; i++)
		assert_string_equal(a->notes[i], b->notes[i]);
	assert_int_equal(scrub_exit_code(a), scrub_exit_code(b));
}

/* With no thread, one, and many; returns the exit code. */
static int scrub_all_ways(struct scrub_report *report, unsigned nr_images)
{
	static const unsigned threads[] = { 1, 8 };
	struct scrub_options options = base_options(0);
	size_t i;

	options.nr_paths = nr_images;
	assert_int_equal(scrub_run(&options, report), 0);
	assert_int_equal(report->state, SCRUB_FINISHED);
	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		struct scrub_report other;

		options.threads = threads[i];
		assert_int_equal(scrub_run(&options, &other), 0);
		assert_same_report(report, &other);
		scrub_report_release(&other);
	}
	return scrub_exit_code(report);
}

static void test_threads(void **state)
{
	struct scrub_report report;
	u64 data_physical, tree_physical;

	(void)state;
	assert_int_equal(scrub_all_ways(&report, NR_IMAGES), 0);
	assert_int_equal(report.nr_findings, 0);
	assert_true(report.totals.data_bytes_scrubbed > 3000000);
	tree_physical = report.devices[0].stats.last_physical - 1000;	/* trees lie behind the data */
	scrub_report_release(&report);

	/* one copy of a tree block: another is good */
	flip("one", tree_physical);
	assert_int_equal(scrub_all_ways(&report, NR_IMAGES), 4);
	assert_int_equal(report.nr_findings, 1);
	assert_int_equal(report.findings[0].kind, SCRUB_TREE_BLOCK);
	assert_int_equal(report.findings[0].devid, 1);
	assert_true(tree_physical - report.findings[0].physical < report.nodesize);
	scrub_report_release(&report);

	/* one byte of data in its only copy, and a backup superblock */
	data_physical = 4 * SZ_1M + 5;	/* behind 1 MiB that is left free and 2 MiB of system chunk */
	flip("two", data_physical);
	flip("two", 64 * SZ_1M + 100);
	assert_int_equal(scrub_all_ways(&report, NR_IMAGES), 3);
	assert_int_equal(report.nr_findings, 3);
	assert_int_equal(report.totals.csum_errors, 1 + report.nodesize / report.sectorsize);
	assert_int_equal(report.totals.super_errors, 1);
	assert_int_equal(report.findings[1].kind, SCRUB_DATA);
	assert_int_equal(report.findings[1].devid, 2);
	assert_int_equal(report.findings[1].physical, data_physical / SZ_4K * SZ_4K);
	scrub_report_release(&report);
}

/* Rows: bytes of data, P and Q wherever they may lie, in three regions of every device. */
static void test_threads_rows(void **state)
{
	struct scrub_report report;
	u64 at;

	(void)state;
	assert_int_equal(scrub_all_ways(&report, NR_ROW_IMAGES), 0);
	assert_int_equal(report.nr_findings, 0);
	assert_false(report.parity_skipped);
	scrub_report_release(&report);
	for (at = 0; at < 24; at++)
		flip(image_paths[at % 2], 1 * SZ_1M + at * 40960 * 3 + 7);
	assert_int_equal(scrub_all_ways(&report, NR_ROW_IMAGES), 4);
	assert_true(report.totals.parity_errors_p > 0 && report.totals.parity_errors_q > 0);
	assert_true(report.totals.csum_errors > 0);
	assert_int_equal(report.totals.uncorrectable_errors, 0);
	scrub_report_release(&report);
	/* three of four columns of the same slices */
	for (at = 0; at < 24; at++)
		flip("three", 1 * SZ_1M + at * 40960 * 3 + 7);
	for (at = 0; at < 24; at++)
		flip(image_paths[(at + 1) % 2], 1 * SZ_1M + at * 40960 * 3 + 7);
	assert_int_equal(scrub_all_ways(&report, NR_ROW_IMAGES), 3);
	scrub_report_release(&report);
}

/* A read that fails and then works is told, and is no error of the filesystem. */
static void read_fails_once(unsigned nr_images, unsigned nr_phases)
{
	struct scrub_options options = base_options(2);
	struct scrub_report report;
	u64 nr;

	options.nr_paths = nr_images;
	for (nr = 1; nr < 100; nr++) {
		u64 failed;

		options.fail_read = nr;
		assert_int_equal(scrub_run(&options, &report), 0);
		failed = report.totals.unverified_errors;
		assert_int_equal(scrub_exit_code(&report), 0);
		assert_int_equal(report.nr_notes, failed);
		scrub_report_release(&report);
		if (!failed)
			break;
		assert_in_range(failed, 1, nr_phases);
	}
	assert_in_range(nr, 3, 99);
}

static void test_read_fails_once(void **state)
{
	(void)state;
	read_fails_once(NR_IMAGES, 1);
}

static void test_read_fails_once_rows(void **state)
{
	(void)state;
	read_fails_once(NR_ROW_IMAGES, 2);	/* data, and parity of trees: each counts its reads */
}

static void test_stop(void **state)
{
	volatile sig_atomic_t stop = SIGINT;
	struct scrub_options options = base_options(2);
	struct scrub_report report;

	(void)state;
	options.stop = &stop;
	assert_int_equal(scrub_run(&options, &report), 0);
	assert_int_equal(report.state, SCRUB_INTERRUPTED);
	assert_string_equal(scrub_verdict(&report), "interrupted");
	scrub_report_release(&report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_threads, setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_read_fails_once, setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_threads_rows, setup_rows, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_read_fails_once_rows, setup_rows, scratch_teardown),
		cmocka_unit_test_setup_teardown(test_stop, setup, scratch_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
