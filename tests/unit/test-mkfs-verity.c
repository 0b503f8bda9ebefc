// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --verity copy, with the kernel's part played by this program: its ioctl() tells descriptors, trees and
 * signatures, and the reader finds them in the image. Needs no kernel that has fs-verity.
 */
#include "tests/unit/source-tree.h"

#include <linux/fs.h>
#include <linux/fsverity.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "mkfs/mkfs.h"
#include "reader/fs.h"
#include "reader/tree-search.h"
#include "source/rules.h"

#define SIGNATURE_SIZE	777
#define TREE_SIZE	12345	/* of any file that has one; what is in it is nobody's concern */

/* What this kernel does wrong. */
static enum fault { FAULT_NONE, FAULT_NOTTY, FAULT_EIO, FAULT_SIZE, FAULT_SHORT, FAULT_ENDLESS, FAULT_SIGNATURE } fault;

static bool is_verity(int fd, struct stat *st)
{
	return syscall(SYS_fstat, fd, st) == 0 && S_ISREG(st->st_mode) && st->st_mode & S_ISVTX;
}

static u8 tree_byte(u64 size, u64 offset)
{
	return (u8)(size * 31 + offset * 7 + offset / 251);
}

static u64 tree_size(const struct stat *st)
{
	return st->st_size > 4096 ? TREE_SIZE : 0;
}

/* The answer to one request, at most as much at once as a kernel with small pages would give. */
static int read_metadata(const struct stat *st, const struct fsverity_read_metadata_arg *arg)
{
	struct fsverity_descriptor descriptor = {
		.version = 1, .hash_algorithm = 1, .log_blocksize = 12, .data_size = (u64)st->st_size,
	};
	u8 *to = (u8 *)(uintptr_t)arg->buf_ptr;
	u64 size = arg->metadata_type == FS_VERITY_METADATA_TYPE_DESCRIPTOR ? sizeof(descriptor) :
		   arg->metadata_type == FS_VERITY_METADATA_TYPE_SIGNATURE ?
		   (st->st_mode & S_IXUSR ? SIGNATURE_SIZE : 0) : tree_size(st);
	u64 i;

	if (fault == FAULT_SIZE)
		descriptor.data_size++;
	if (fault == FAULT_SHORT)
		size = MIN(size, (u64)200);
	if (fault == FAULT_ENDLESS && arg->metadata_type == FS_VERITY_METADATA_TYPE_MERKLE_TREE)
		size = UINT64_MAX;
	if (fault == FAULT_SIGNATURE && arg->metadata_type == FS_VERITY_METADATA_TYPE_SIGNATURE)
		size = 65536;
	if (!size && arg->metadata_type == FS_VERITY_METADATA_TYPE_SIGNATURE) {
		errno = ENODATA;
		return -1;
	}
	for (i = 0; i < MIN(arg->length, (u64)1000) && arg->offset + i < size; i++) {
		u64 at = arg->offset + i;

		to[i] = arg->metadata_type == FS_VERITY_METADATA_TYPE_DESCRIPTOR ? ((u8 *)&descriptor)[at] :
			arg->metadata_type == FS_VERITY_METADATA_TYPE_SIGNATURE ? (u8)(at * 3) :
			tree_byte((u64)st->st_size, at);
	}
	return (int)i;
}

int ioctl(int fd, unsigned long request, ...)
{
	struct stat st;
	va_list args;
	void *arg;
	int ret;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (request == FS_IOC_READ_VERITY_METADATA && is_verity(fd, &st)) {
		errno = fault == FAULT_NOTTY ? ENOTTY : EIO;
		return fault == FAULT_NOTTY || fault == FAULT_EIO ? -1 : read_metadata(&st, arg);
	}
	ret = (int)syscall(SYS_ioctl, fd, request, arg);
	if (request == FS_IOC_GETFLAGS && is_verity(fd, &st)) {
		*(int *)arg = (ret == 0 ? *(int *)arg : 0) | FS_VERITY_FL;
		ret = 0;
	}
	return ret;
}

/* ---- the image ---- */

static void make_verity_file(const char *path, size_t size, mode_t mode)
{
	u8 *data = malloc(size + 1);

	assert_non_null(data);
	memset(data, 'v', size);
	make_file(path, data, size);
	assert_int_equal(chmod(path, mode | S_ISVTX), 0);
	free(data);
}

static int build(bool copy)
{
	char *devices[] = { (char *)"image" };
	struct source_rules *rules = source_rules_create();
	struct mkfs_options options = {
		.devices = devices, .nr_devices = 1, .rootdir = "top", .rules = rules, .force = true,
		.data_profile = MKFS_PROFILE_DEFAULT, .metadata_profile = MKFS_PROFILE_DEFAULT,
		.csum = csum_by_name("crc32c"),
	};
	struct mkfs_report report;
	int ret;

	unlink("image");
	make_file("image", "", 0);
	assert_int_equal(truncate("image", 200 * SZ_1M), 0);
	source_rules_copy_verity(rules, copy);
	assert_int_equal(mkfs_choose_features(&(struct mkfs_feature_wishes){ 0 }, &options), 0);
	ret = mkfs_run(&options, &report);
	mkfs_report_release(&report);
	source_rules_destroy(rules);
	return ret;
}

static void ignore_finding(void *arg, const struct btrfs_finding *finding)
{
	(void)arg;
	(void)finding;
}

static struct btrfs_image *open_image(void)
{
	char *devices[] = { (char *)"image" };
	const struct btrfs_open_options options = { .findings = { .report = ignore_finding } };
	struct btrfs_image *image;

	assert_int_equal(btrfs_image_open(&image, devices, 1, &options), 0);
	return image;
}

struct found {
	u64 flags;
	u64 size;		/* of the file */
	u64 item_size;		/* what the first descriptor item says */
	u8 descriptor[2048];
	size_t descriptor_len;
	u8 tree[TREE_SIZE + 1];
	size_t tree_len;
};

static void take_item(struct found *found, const struct btrfs_cursor *cursor)
{
	const struct btrfs_inode_item *inode = cursor->item;
	const struct btrfs_verity_descriptor_item *item = cursor->item;

	if (cursor->key.type == BTRFS_INODE_ITEM_KEY) {
		found->flags = le64_to_cpu(inode->flags);
		found->size = le64_to_cpu(inode->size);
	} else if (cursor->key.type == BTRFS_VERITY_DESC_ITEM_KEY && !cursor->key.offset) {
		assert_int_equal(cursor->size, sizeof(*item));
		found->item_size = le64_to_cpu(item->size);
		assert_int_equal(item->encryption, 0);
	} else if (cursor->key.type == BTRFS_VERITY_DESC_ITEM_KEY) {
		assert_int_equal(cursor->key.offset, 1 + found->descriptor_len);
		assert_true(cursor->size <= 2048 && found->descriptor_len + cursor->size <= sizeof(found->descriptor));
		memcpy(found->descriptor + found->descriptor_len, cursor->item, cursor->size);
		found->descriptor_len += cursor->size;
	} else if (cursor->key.type == BTRFS_VERITY_MERKLE_ITEM_KEY) {
		assert_int_equal(cursor->key.offset, found->tree_len);
		assert_true(cursor->size <= 2048 && found->tree_len + cursor->size <= sizeof(found->tree));
		memcpy(found->tree + found->tree_len, cursor->item, cursor->size);
		found->tree_len += cursor->size;
	}
}

/* What the tree has about inode @ino. */
static struct found *look_up(const struct btrfs_image *image, u64 ino)
{
	const struct btrfs_key key = { .objectid = ino };
	struct found *found = calloc(1, sizeof(*found));
	struct btrfs_tree_root root;
	struct btrfs_cursor cursor;
	int ret;

	assert_int_equal(btrfs_find_root(image, BTRFS_FS_TREE_OBJECTID, &root), 0);
	assert_int_equal(btrfs_cursor_init(&cursor, image, &root), 0);
	for (ret = btrfs_cursor_seek(&cursor, &key); !ret && cursor.key.objectid == ino; ret = btrfs_cursor_next(&cursor))
		take_item(found, &cursor);
	btrfs_cursor_release(&cursor);
	return found;
}

static void expect_verity(const struct btrfs_image *image, u64 ino, u64 size, u64 signature)
{
	struct found *found = look_up(image, ino);
	const struct fsverity_descriptor *descriptor = (const void *)found->descriptor;
	size_t i;

	assert_int_equal(found->size, size);
	assert_int_equal(found->flags >> 32, 1);
	assert_int_equal(found->descriptor_len, sizeof(*descriptor) + signature);
	assert_int_equal(found->item_size, found->descriptor_len);
	assert_int_equal(le64_to_cpu(descriptor->data_size), size);
	assert_int_equal(le32_to_cpu(descriptor->__reserved_0x04), signature);
	for (i = 0; i < signature; i++)
		assert_int_equal(found->descriptor[sizeof(*descriptor) + i], (u8)(i * 3));
	assert_int_equal(found->tree_len, size > 4096 ? TREE_SIZE : 0);
	for (i = 0; i < found->tree_len; i++)
		assert_int_equal(found->tree[i], tree_byte(size, i));
	free(found);
}

static void make_tree(void)
{
	make_verity_file("top/a-empty", 0, 0644);
	make_verity_file("top/b-inline", 100, 0644);
	make_verity_file("top/c-block", 4096, 0644);
	make_verity_file("top/d-medium", 5000, 0755);
	make_verity_file("top/e-large", 3000000, 0644);
	make_file("top/f-plain", "plain", 5);
	/* a directory with a sticky bit is none */
	assert_int_equal(mkdir("top/g", 01755), 0);
}

static bool has_verity(const struct btrfs_image *image)
{
	return le64_to_cpu(image->super.compat_ro_flags) & BTRFS_FEATURE_COMPAT_RO_VERITY;
}

static void test_copy(void **state)
{
	struct btrfs_image *image;
	struct found *found;

	(void)state;
	fault = FAULT_NONE;
	make_tree();
	assert_int_equal(build(true), 0);
	image = open_image();
	assert_true(has_verity(image));
	expect_verity(image, 257, 0, 0);
	expect_verity(image, 258, 100, 0);
	expect_verity(image, 259, 4096, 0);
	expect_verity(image, 260, 5000, SIGNATURE_SIZE);
	expect_verity(image, 261, 3000000, 0);
	for (u64 ino = 262; ino <= 263; ino++) {
		found = look_up(image, ino);
		assert_int_equal(found->flags >> 32, 0);
		assert_int_equal(found->descriptor_len, 0);
		free(found);
	}
	btrfs_image_close(image);
}

static void test_off(void **state)
{
	struct btrfs_image *image;
	struct found *found;

	(void)state;
	fault = FAULT_NONE;
	make_tree();
	assert_int_equal(build(false), 0);
	image = open_image();
	assert_false(has_verity(image));
	found = look_up(image, 261);
	assert_int_equal(found->size, 3000000);
	assert_int_equal(found->flags, 0);
	assert_int_equal(found->descriptor_len, 0);
	assert_int_equal(found->tree_len, 0);
	free(found);
	btrfs_image_close(image);
}

static void test_faults(void **state)
{
	(void)state;
	make_tree();
	for (fault = FAULT_NOTTY; fault <= FAULT_SIGNATURE; fault++) {
		if (build(true) >= 0)
			fail_msg("fault %d is not seen", fault);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(test_copy),
		scratch_test(test_off),
		scratch_test(test_faults),
	};

	return csum_init() ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
