// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Items of file trees: good ones raise nothing, each damaged one exactly one finding.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <sys/stat.h>

#include "kernel-shared/dir-item.h"
#include "kernel-shared/file-item.h"
#include "kernel-shared/inode-item.h"
#include "tests/unit/leaf-builder.h"

#define OWNER 256	/* some subvolume */
#define INO 300

static struct leaf_builder leaf;

static void expect_clean(void)
{
	leaf_expect_clean(&leaf);
}

static void expect_fault(int slot, const char *text)
{
	leaf_expect_fault(&leaf, slot, text);
}

static struct btrfs_inode_item *add_inode(u64 ino, u32 mode)
{
	const struct btrfs_inode_meta meta = { .generation = 10, .nlink = 1, .mode = mode };
	struct btrfs_inode_item *inode = leaf_add(&leaf, ino, BTRFS_INODE_ITEM_KEY, 0, sizeof(*inode));

	btrfs_fill_inode_item(inode, &meta);
	return inode;
}

static struct btrfs_inode_item *start_inode(u32 mode)
{
	leaf_init(&leaf, OWNER);
	return add_inode(INO, mode);
}

static void test_inode_modes(void **state)
{
	static const u32 good[] = {
		S_IFREG | 07777, S_IFDIR, S_IFLNK | 0777, S_IFCHR, S_IFBLK, S_IFIFO, S_IFSOCK,
	};
	static const u32 bad[] = { 0, 0644, S_IFMT, 0030000, S_IFREG | 0x10000 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		start_inode(good[i]);
		expect_clean();
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		start_inode(bad[i]);
		expect_fault(0, "mode");
	}
}

static void test_inode_fields(void **state)
{
	(void)state;
	start_inode(S_IFREG)->generation = cpu_to_le64(11);	/* the running transaction */
	expect_clean();
	start_inode(S_IFREG)->generation = cpu_to_le64(12);
	expect_fault(0, "generation 12, at most 11");
	start_inode(S_IFREG)->transid = cpu_to_le64(UINT64_MAX);
	expect_fault(0, "transid");
	start_inode(S_IFDIR)->nlink = cpu_to_le32(2);
	expect_fault(0, "directory with 2 links");
	start_inode(S_IFDIR)->nlink = 0;	/* an orphan */
	expect_clean();
	start_inode(S_IFREG)->flags = cpu_to_le64(1ULL << 12);
	expect_fault(0, "unknown are 0x1000");
	start_inode(S_IFREG)->flags = cpu_to_le64((1ULL << 32) | BTRFS_INODE_NODATASUM);	/* verity */
	expect_clean();
	start_inode(S_IFREG);
	leaf_item(&leaf, 0)->key.offset = cpu_to_le64(1);
	expect_fault(0, "key offset");
	start_inode(S_IFREG);
	leaf_item(&leaf, 0)->key.objectid = cpu_to_le64(255);
	expect_fault(0, "inode number 255");
}

/* ---- references to names ---- */

static struct btrfs_inode_ref *add_ref(const char *name, u32 extra)
{
	const u16 len = (u16)strlen(name);
	struct btrfs_inode_ref *ref;

	start_inode(S_IFREG);
	ref = leaf_add(&leaf, INO, BTRFS_INODE_REF_KEY, 256, btrfs_inode_ref_size(len) + extra);
	ref->name_len = cpu_to_le16(len);
	memcpy(ref + 1, name, len);
	return ref;
}

static void test_inode_ref(void **state)
{
	struct btrfs_inode_ref *ref;

	(void)state;
	add_ref("name", 0);
	expect_clean();
	ref = add_ref("name", btrfs_inode_ref_size(3));	/* a second name in the same directory */
	ref = (void *)((u8 *)ref + btrfs_inode_ref_size(4));
	ref->name_len = cpu_to_le16(3);
	memcpy(ref + 1, "two", 3);
	expect_clean();
	ref->name_len = cpu_to_le16(4);
	expect_fault(1, "beyond the item");
	ref->name_len = cpu_to_le16(2);
	expect_fault(1, "cut off");
	add_ref("name", 0)->name_len = cpu_to_le16(65535);
	expect_fault(1, "name of 65535 bytes");
	add_ref("name", 0)->name_len = 0;
	expect_fault(1, "name of 0 bytes");
	add_ref("na/me", 0);
	expect_fault(1, "slash");
	memcpy(add_ref("name", 0) + 1, "n\0me", 4);
	expect_fault(1, "NUL");
}

static struct btrfs_inode_extref *add_extref(u64 hash)
{
	struct btrfs_inode_extref *ref;

	start_inode(S_IFREG);
	ref = leaf_add(&leaf, INO, BTRFS_INODE_EXTREF_KEY, hash, btrfs_inode_extref_size(4));
	ref->parent_objectid = cpu_to_le64(256);
	ref->name_len = cpu_to_le16(4);
	memcpy(ref->name, "name", 4);
	return ref;
}

static void test_inode_extref(void **state)
{
	const u64 hash = btrfs_extref_hash(256, "name", 4);

	(void)state;
	add_extref(hash);
	expect_clean();
	add_extref(hash + 1);
	expect_fault(1, "hash");
	add_extref(hash)->parent_objectid = cpu_to_le64(257);
	expect_fault(1, "hash");
	add_extref(hash)->name_len = cpu_to_le16(5);
	expect_fault(1, "beyond the item");
}

/* ---- directory entries ---- */

static void put_entry(u8 *at, const char *name, u8 ftype)
{
	const struct btrfs_key location = { .objectid = 400, .type = BTRFS_INODE_ITEM_KEY };

	btrfs_fill_dir_item((struct btrfs_dir_item *)at, &location, 10, ftype, (u16)strlen(name));
	memcpy(at + sizeof(struct btrfs_dir_item), name, strlen(name));
}

static struct btrfs_dir_item *add_entry(u8 type, u64 offset, const char *name)
{
	u8 *at;

	start_inode(S_IFDIR);
	at = leaf_add(&leaf, INO, type, offset, btrfs_dir_item_size(strlen(name), 0));
	put_entry(at, name, BTRFS_FT_REG_FILE);
	return (struct btrfs_dir_item *)at;
}

static void test_dir_item(void **state)
{
	const u64 hash = btrfs_name_hash("name", 4);

	(void)state;
	add_entry(BTRFS_DIR_ITEM_KEY, hash, "name");
	expect_clean();
	add_entry(BTRFS_DIR_ITEM_KEY, hash ^ 1, "name");
	expect_fault(1, "hash of the name");
	add_entry(BTRFS_DIR_ITEM_KEY, hash, "name")->type = 0;
	expect_fault(1, "entry type 0");
	add_entry(BTRFS_DIR_ITEM_KEY, hash, "name")->type = 9;
	expect_fault(1, "entry type 9");
	add_entry(BTRFS_DIR_ITEM_KEY, hash, "name")->type = BTRFS_FT_XATTR;
	expect_fault(1, "entry type 8");
	add_entry(BTRFS_DIR_ITEM_KEY, hash, "name")->location.type = BTRFS_ROOT_ITEM_KEY;
	expect_clean();
	add_entry(BTRFS_DIR_ITEM_KEY, hash, "name")->location.type = BTRFS_DIR_ITEM_KEY;
	expect_fault(1, "key of type 84");
	add_entry(BTRFS_DIR_ITEM_KEY, hash, "name")->data_len = cpu_to_le16(1);
	expect_fault(1, "1 bytes of data");
	add_entry(BTRFS_DIR_ITEM_KEY, hash, "name")->name_len = cpu_to_le16(256);
	expect_fault(1, "name of 256 bytes");
	add_entry(BTRFS_DIR_ITEM_KEY, btrfs_name_hash("a/b", 3), "a/b");
	expect_fault(1, "slash");
}

/* Names of equal hash share an item. CRC is linear: a multiple of its polynomial makes no difference. */
static void test_shared_dir_item(void **state)
{
	static const u8 multiple[5] = { 0x01, 0x03, 0x83, 0x6b, 0xf2 };
	char name[6] = "ABCEE";
	const u64 hash = btrfs_name_hash(name, 5);
	const u32 size = btrfs_dir_item_size(5, 0);
	u8 *at;
	int i;

	(void)state;
	start_inode(S_IFDIR);
	at = leaf_add(&leaf, INO, BTRFS_DIR_ITEM_KEY, hash, 2 * size);
	put_entry(at, name, BTRFS_FT_DIR);
	for (i = 0; i < 5; i++)
		name[i] = (char)(name[i] ^ multiple[i]);
	put_entry(at + size, name, BTRFS_FT_REG_FILE);
	expect_clean();
	at[2 * size - 1] ^= 1;
	expect_fault(1, "hash of the name");
}

static void test_dir_index(void **state)
{
	(void)state;
	add_entry(BTRFS_DIR_INDEX_KEY, 2, "name");
	expect_clean();
	add_entry(BTRFS_DIR_INDEX_KEY, 2, "name")->name_len = cpu_to_le16(3);
	expect_fault(1, "must be 33");
	start_inode(S_IFDIR);
	leaf_add(&leaf, INO, BTRFS_DIR_INDEX_KEY, 2, 0);
	expect_fault(1, "cut off");
}

static struct btrfs_dir_item *add_xattr(u16 value_len, u32 room)
{
	struct btrfs_dir_item *entry;

	start_inode(S_IFREG);
	entry = leaf_add(&leaf, INO, BTRFS_XATTR_ITEM_KEY, btrfs_name_hash("user.a/b", 8),
			 btrfs_dir_item_size(8, room));
	btrfs_fill_xattr_item(entry, 10, 8, value_len);
	memcpy(entry + 1, "user.a/b", 8);
	return entry;
}

static void test_xattr(void **state)
{
	(void)state;
	add_xattr(100, 100);
	expect_clean();
	add_xattr(0, 0);
	expect_clean();
	add_xattr(101, 100);
	expect_fault(1, "value of 101 bytes");
	add_xattr(65535, 100);
	expect_fault(1, "value of 65535 bytes");
	add_xattr(99, 100);
	expect_fault(1, "cut off");
	add_xattr(100, 100)->type = BTRFS_FT_REG_FILE;
	expect_fault(1, "entry type 1");
}

/* In a file tree an inode's items follow its inode item; elsewhere they need not. */
static void test_items_of_another_inode(void **state)
{
	static const struct {
		u64 owner;
		bool fault;
	} cases[] = {
		{ 5, true }, { 256, true }, { BTRFS_TREE_LOG_OBJECTID, false },
		{ BTRFS_ROOT_TREE_OBJECTID, false }, { BTRFS_DATA_RELOC_TREE_OBJECTID, false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		leaf_init(&leaf, cases[i].owner);
		add_inode(INO, S_IFDIR);
		put_entry(leaf_add(&leaf, INO + 1, BTRFS_DIR_INDEX_KEY, 2, btrfs_dir_item_size(1, 0)), "x",
			  1);
		if (cases[i].fault)
			expect_fault(1, "belongs to inode 300");
		else
			expect_clean();
	}
}

/* ---- file extents ---- */

static struct btrfs_file_extent_item *add_extent(u64 offset, u64 bytenr, u64 len)
{
	struct btrfs_file_extent_item *extent = leaf_add(&leaf, INO, BTRFS_EXTENT_DATA_KEY, offset,
							 sizeof(*extent));

	btrfs_fill_reg_extent(extent, 10, bytenr, len);
	return extent;
}

static struct btrfs_file_extent_item *one_extent(void)
{
	start_inode(S_IFREG);
	return add_extent(0, SZ_1M, 65536);
}

#define BAD_EXTENT(field, value, text) do {	\
	one_extent()->field = (value);		\
	expect_fault(1, (text));		\
} while (0)

static void test_extent_fields(void **state)
{
	(void)state;
	one_extent();
	expect_clean();
	BAD_EXTENT(type, 3, "type 3");
	BAD_EXTENT(compression, 200, "compression 200, must be 0 to 3");
	BAD_EXTENT(encryption, 1, "encryption 1");
	BAD_EXTENT(other_encoding, cpu_to_le16(1), "other encoding 1");
	BAD_EXTENT(generation, cpu_to_le64(12), "generation 12");
	BAD_EXTENT(disk_bytenr, cpu_to_le64(SZ_1M + 3), "disk_bytenr");
	BAD_EXTENT(disk_bytenr, cpu_to_le64(UINT64_MAX & ~(u64)4095), "wraps around");
	BAD_EXTENT(disk_num_bytes, cpu_to_le64(512), "disk_num_bytes");
	BAD_EXTENT(disk_num_bytes, 0, "extent length 0");
	BAD_EXTENT(disk_num_bytes, cpu_to_le64(4096), "4096 on disk");
	BAD_EXTENT(ram_bytes, cpu_to_le64(4096), "ram_bytes 4096");
	BAD_EXTENT(ram_bytes, cpu_to_le64(65537), "ram_bytes");
	BAD_EXTENT(offset, cpu_to_le64(1ULL << 63), "of an extent with ram_bytes 65536");
	BAD_EXTENT(offset, cpu_to_le64(UINT64_MAX & ~(u64)4095), "of an extent with ram_bytes 65536");
	BAD_EXTENT(num_bytes, 0, "file range length 0");
	BAD_EXTENT(num_bytes, cpu_to_le64(UINT64_MAX & ~(u64)4095), "of an extent with ram_bytes 65536");
}

static void test_extent_shapes(void **state)
{
	struct btrfs_file_extent_item *extent;

	(void)state;
	extent = one_extent();	/* 64 KiB in 4 KiB on disk */
	extent->compression = 3;	/* zstd */
	extent->disk_num_bytes = cpu_to_le64(4096);
	expect_clean();
	one_extent()->type = BTRFS_FILE_EXTENT_PREALLOC;
	expect_clean();
	btrfs_fill_hole_extent(one_extent(), 10, SZ_1M);
	expect_clean();
	start_inode(S_IFREG);
	leaf_add(&leaf, INO, BTRFS_EXTENT_DATA_KEY, 0, sizeof(*extent) + 1);
	((struct btrfs_file_extent_item *)btrfs_item_ptr(leaf.block, 1))->type = BTRFS_FILE_EXTENT_REG;
	expect_fault(1, "item of 54 bytes");
	start_inode(S_IFREG);
	add_extent(512, SZ_1M, 4096);
	expect_fault(1, "file offset 512");
	start_inode(S_IFREG);
	leaf_add(&leaf, INO, BTRFS_EXTENT_DATA_KEY, 0, 20);
	expect_fault(1, "at least 21");
}

static struct btrfs_file_extent_item *add_inline(u64 offset, u32 payload)
{
	struct btrfs_file_extent_item *extent;

	start_inode(S_IFREG);
	extent = leaf_add(&leaf, INO, BTRFS_EXTENT_DATA_KEY, offset,
			  (u32)BTRFS_FILE_EXTENT_INLINE_DATA_START + payload);
	btrfs_fill_inline_extent(extent, 10, payload, 0);
	return extent;
}

static void test_inline_extents(void **state)
{
	struct btrfs_file_extent_item *extent;

	(void)state;
	add_inline(0, 30);
	expect_clean();
	add_inline(0, 30)->ram_bytes = cpu_to_le64(1ULL << 60);
	expect_fault(1, "inline extent ram_bytes 1152921504606846976, item holds 30 bytes");
	add_inline(0, 30)->ram_bytes = cpu_to_le64(31);
	expect_fault(1, "ram_bytes 31");
	add_inline(4096, 30);
	expect_fault(1, "file offset 4096, must be 0");
	extent = add_inline(0, 30);
	extent->compression = 2;	/* lzo */
	extent->ram_bytes = cpu_to_le64(2048);
	expect_clean();
	extent->ram_bytes = cpu_to_le64(1ULL << 60);
	expect_fault(1, "at most 65536");
}

static void test_extent_overlap(void **state)
{
	(void)state;
	one_extent();
	add_extent(65536, SZ_1M, 4096);
	expect_clean();
	one_extent();
	add_extent(61440, SZ_1M, 4096);
	expect_fault(2, "ends at 65536");
	one_extent();
	add_extent(61440, SZ_1M, 4096);
	((struct btrfs_header *)leaf.block)->owner = cpu_to_le64(BTRFS_TREE_LOG_OBJECTID);
	expect_clean();
	one_extent()->num_bytes = cpu_to_le64(SZ_1M);	/* one damaged extent is one finding */
	add_extent(65536, SZ_1M, 4096);
	expect_fault(1, "ram_bytes 65536");
	add_inline(0, 2048);
	add_extent(4096, SZ_1M, 4096);
	expect_clean();
}

/* ---- checksums ---- */

static void test_csums(void **state)
{
	(void)state;
	leaf_init(&leaf, BTRFS_CSUM_TREE_OBJECTID);
	leaf_add(&leaf, BTRFS_EXTENT_CSUM_OBJECTID, BTRFS_EXTENT_CSUM_KEY, SZ_1M, 16);
	leaf_add(&leaf, BTRFS_EXTENT_CSUM_OBJECTID, BTRFS_EXTENT_CSUM_KEY, SZ_1M + 4 * 4096, 4);
	expect_clean();
	leaf_item(&leaf, 1)->key.offset = cpu_to_le64(SZ_1M + 3 * 4096);
	expect_fault(1, "ends at 1064960");
	leaf_item(&leaf, 1)->key.offset = cpu_to_le64(SZ_1M + 4 * 4096 + 1);
	expect_fault(1, "not aligned");
	leaf_item(&leaf, 1)->key.offset = cpu_to_le64(UINT64_MAX & ~(u64)4095);
	expect_fault(1, "wraps around");
	leaf.ctx.csum_size = 8;
	leaf_item(&leaf, 1)->key.offset = cpu_to_le64(SZ_1M + 4 * 4096);
	expect_fault(1, "multiple of 8");
	leaf_init(&leaf, BTRFS_CSUM_TREE_OBJECTID);
	leaf_add(&leaf, 5, BTRFS_EXTENT_CSUM_KEY, SZ_1M, 16);
	expect_fault(0, "objectid 5");
	leaf_init(&leaf, BTRFS_CSUM_TREE_OBJECTID);
	leaf_add(&leaf, BTRFS_EXTENT_CSUM_OBJECTID, BTRFS_EXTENT_CSUM_KEY, SZ_1M, 0);
	expect_fault(0, "item of 0 bytes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inode_modes),
		cmocka_unit_test(test_inode_fields),
		cmocka_unit_test(test_inode_ref),
		cmocka_unit_test(test_inode_extref),
		cmocka_unit_test(test_dir_item),
		cmocka_unit_test(test_shared_dir_item),
		cmocka_unit_test(test_dir_index),
		cmocka_unit_test(test_xattr),
		cmocka_unit_test(test_items_of_another_inode),
		cmocka_unit_test(test_extent_fields),
		cmocka_unit_test(test_extent_shapes),
		cmocka_unit_test(test_inline_extents),
		cmocka_unit_test(test_extent_overlap),
		cmocka_unit_test(test_csums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
