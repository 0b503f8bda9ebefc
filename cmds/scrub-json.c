// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The report of a scrub as one JSON object. Counters bear the names of `btrfs scrub status -R`.
 *
 * Numbers are JSON integers as long as they fit 63 bits, and strings of decimal digits beyond; an address or
 * device that is not known is null.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jansson.h>

#include "cmds/scrub-command.h"
#include "common/escape.h"
#include "reader/features.h"
#include "reader/uuid-text.h"

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

static json_t *json_u64(u64 value)
{
	char text[24];

	if (value <= INT64_MAX)
		return json_integer((json_int_t)value);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return json_string(text);
}

static json_t *json_known(u64 value)
{
	return value == SCRUB_NONE ? json_null() : json_u64(value);
}

/* Bytes of any encoding as a valid string. */
static json_t *json_text(const char *text)
{
	char *printable = text ? escape_bytes(text, strlen(text), NULL) : NULL;
	json_t *value = printable ? json_string(printable) : json_null();

	free(printable);
	return value;
}

static json_t *json_hex(const u8 *bytes, size_t len)
{
	char text[2 * 32 + 1] = "";
	size_t i;

	if (!len)
		return json_null();
	for (i = 0; i < MIN(len, (size_t)32); i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return json_string(text);
}

static json_t *json_bytes(const char *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	char *text = malloc(2 * len + 1);
	json_t *value;
	size_t i;

	if (!text)
		return json_null();
	for (i = 0; i < len; i++) {
		text[2 * i] = digits[(u8)bytes[i] >> 4];
		text[2 * i + 1] = digits[(u8)bytes[i] & 15];
	}
	text[2 * len] = 0;
	value = json_string(text);
	free(text);
	return value;
}

static json_t *json_key(bool known, const struct btrfs_key *key)
{
	return known ? json_string(btrfs_format_key(key).text) : json_null();
}

static json_t *json_counters(const struct scrub_counters *counters)
{
	json_t *object = json_object();
	const struct scrub_counter_name *counter;
	size_t i;

	for (i = 0; (counter = scrub_counter_at(i)); i++)
		json_object_set_new(object, counter->name,
				    json_u64(scrub_counter_value(counters, counter->offset)));
	return object;
}

static json_t *json_bits(u64 bits, const char *(*name)(unsigned bit))
{
	json_t *list = json_array();
	unsigned bit;

	for (bit = 0; bit < 64; bit++) {
		char number[16];

		if (!(bits >> bit & 1))
			continue;
		snprintf(number, sizeof(number), "bit %u", bit);
		json_array_append_new(list, json_string(name(bit) ? name(bit) : number));
	}
	return list;
}

static json_t *json_filesystem(const struct scrub_report *report)
{
	const size_t label_len = strlen(report->label);
	bool escaped = false;
	char *printable = escape_bytes(report->label, label_len, &escaped);
	json_t *features = json_bits(report->incompat, btrfs_incompat_bit_name);
	json_t *compat_ro = json_bits(report->compat_ro, btrfs_compat_ro_bit_name);
	json_t *fs = json_object();

	json_array_extend(features, compat_ro);
	json_decref(compat_ro);
	json_object_set_new(fs, "fsid", json_string(btrfs_format_uuid(report->fsid).text));
	json_object_set_new(fs, "metadata_uuid", json_string(btrfs_format_uuid(report->metadata_uuid).text));
	json_object_set_new(fs, "label", printable ? json_string(printable) : json_null());
	if (escaped) {
		char hex[2 * BTRFS_LABEL_SIZE + 1];
		size_t i;

		for (i = 0; i < label_len; i++)
			snprintf(hex + 2 * i, 3, "%02x", (u8)report->label[i]);
		json_object_set_new(fs, "label_bytes", json_string(hex));
	}
	json_object_set_new(fs, "generation", json_u64(report->generation));
	json_object_set_new(fs, "csum_type", json_string(report->csum_name));
	json_object_set_new(fs, "sectorsize", json_integer(report->sectorsize));
	json_object_set_new(fs, "nodesize", json_integer(report->nodesize));
	json_object_set_new(fs, "features", features);
	json_object_set_new(fs, "flags", json_bits(report->flags, btrfs_super_flag_bit_name));
	free(printable);
	return fs;
}

static json_t *json_device(const struct scrub_device_report *device)
{
	json_t *object = json_object(), *supers = json_array();
	unsigned i;

	for (i = 0; i < device->nr_supers; i++) {
		json_t *super = json_object();

		json_object_set_new(super, "offset", json_u64(device->supers[i].offset));
		json_object_set_new(super, "status", json_string(device->supers[i].status));
		json_object_set_new(super, "generation", json_u64(device->supers[i].generation));
		json_array_append_new(supers, super);
	}
	json_object_set_new(object, "devid", json_u64(device->devid));
	json_object_set_new(object, "uuid", device->missing ? json_null() :
			    json_string(btrfs_format_uuid(device->uuid).text));
	json_object_set_new(object, "path", json_text(device->path));
	json_object_set_new(object, "size", json_u64(device->size));
	json_object_set_new(object, "super", supers);
	json_object_set_new(object, "generation", json_u64(device->generation));
	json_object_set_new(object, "stale", json_boolean(device->stale));
	json_object_set_new(object, "missing", json_boolean(device->missing));
	json_object_set_new(object, "stats", json_counters(&device->stats));
	return object;
}

static json_t *json_tree(const struct scrub_tree_report *tree)
{
	const char *name = btrfs_tree_name(tree->objectid);
	json_t *object = json_object();

	json_object_set_new(object, "id", json_u64(tree->objectid));
	json_object_set_new(object, "offset", json_u64(tree->offset));
	json_object_set_new(object, "name", name ? json_string(name) : json_null());
	json_object_set_new(object, "blocks", json_u64(tree->blocks));
	json_object_set_new(object, "bad", json_u64(tree->bad));
	return object;
}

/* "path" is printable; where that takes escapes, "path_bytes" has the bytes in hexadecimal. */
static json_t *json_path(const struct scrub_path *path)
{
	json_t *object = json_object();
	bool changed = false;
	char *printable = escape_bytes(path->bytes, path->len, &changed);

	json_object_set_new(object, "path", path->len && printable ? json_string(printable) : json_null());
	if (changed)
		json_object_set_new(object, "path_bytes", json_bytes(path->bytes, path->len));
	json_object_set_new(object, "complete", json_boolean(path->complete));
	json_object_set_new(object, "subvolume", json_u64(path->rootid));
	json_object_set_new(object, "inode", json_u64(path->ino));
	json_object_set_new(object, "offset", json_u64(path->offset));
	free(printable);
	return object;
}

static void add_paths(json_t *object, const struct scrub_paths *paths)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; paths && i < paths->nr; i++)
		json_array_append_new(list, json_path(&paths->list[i]));
	json_object_set_new(object, "paths", list);
	json_object_set_new(object, "paths_total", paths ? json_u64(paths->total) : json_null());
	json_object_set_new(object, "paths_lost", json_boolean(paths && paths->lost));
}

static json_t *json_finding(const struct scrub_finding *finding, size_t seq)
{
	json_t *object = json_object();

	json_object_set_new(object, "seq", json_integer((json_int_t)seq));
	json_object_set_new(object, "kind", json_string(scrub_kind_name(finding->kind)));
	json_object_set_new(object, "logical", json_known(finding->logical));
	json_object_set_new(object, "length", json_u64(finding->length));
	json_object_set_new(object, "copy", finding->copy < 0 ? json_null() : json_integer(finding->copy));
	json_object_set_new(object, "devid", json_known(finding->devid));
	json_object_set_new(object, "physical", json_known(finding->physical));
	json_object_set_new(object, "tree", finding->tree ? json_u64(finding->tree) : json_null());
	json_object_set_new(object, "level", finding->level < 0 ? json_null() : json_integer(finding->level));
	json_object_set_new(object, "key", json_key(finding->has_key, &finding->key));
	json_object_set_new(object, "key_end", json_key(finding->has_limit, &finding->limit));
	json_object_set_new(object, "want", json_hex(finding->want, finding->csum_size));
	json_object_set_new(object, "got", json_hex(finding->got, finding->csum_size));
	json_object_set_new(object, "text", json_text(finding->text));
	add_paths(object, finding->paths);
	json_object_set_new(object, "correctable", json_boolean(finding->correctable));
	json_object_set_new(object, "corrected", json_false());
	return object;
}

static void add_lists(json_t *object, const struct scrub_report *report)
{
	json_t *devices = json_array(), *trees = json_array();
	json_t *errors = json_array(), *notes = json_array();
	size_t i;

	for (i = 0; i < report->nr_devices; i++)
		json_array_append_new(devices, json_device(&report->devices[i]));
	for (i = 0; i < report->nr_trees; i++)
		json_array_append_new(trees, json_tree(&report->trees[i]));
	for (i = 0; i < report->nr_findings; i++)
		json_array_append_new(errors, json_finding(&report->findings[i], i + 1));
	for (i = 0; i < report->nr_notes; i++)
		json_array_append_new(notes, json_text(report->notes[i]));
	json_object_set_new(object, "devices", devices);
	json_object_set_new(object, "totals", json_counters(&report->totals));
	json_object_set_new(object, "trees", trees);
	json_object_set_new(object, "errors", errors);
	json_object_set_new(object, "metadata_errors_total", json_u64(report->metadata_findings));
	json_object_set_new(object, "data_errors_total", json_u64(report->data_findings));
	json_object_set_new(object, "errors_total", json_u64(report->findings_total));
	json_object_set_new(object, "errors_dropped", json_u64(report->findings_total - report->nr_findings));
	json_object_set_new(object, "notes", notes);
}

static json_t *json_started(double seconds)
{
	const time_t started = time(NULL) - (time_t)seconds;
	char text[32] = "";
	struct tm tm;

	if (gmtime_r(&started, &tm))
		(void)strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return json_string(text);
}

int scrub_print_json(const struct scrub_report *report, int status)
{
	static const char *const states[] = {
		[SCRUB_REFUSED] = "refused",
		[SCRUB_FINISHED] = "finished",
		[SCRUB_INTERRUPTED] = "interrupted",
	};
	json_t *object = json_object();
	int ret;

	if (!object)
		return -ENOMEM;
	json_object_set_new(object, "tool", json_string("btrfs-offline scrub"));
	json_object_set_new(object, "version", json_string(PACKAGE_VERSION));
	json_object_set_new(object, "format", json_integer(1));
	json_object_set_new(object, "mode", json_string("read-only"));
	json_object_set_new(object, "state", json_string(states[report->state]));
	json_object_set_new(object, "verdict", json_string(scrub_verdict(report)));
	json_object_set_new(object, "exit_code", json_integer(status));
	json_object_set_new(object, "started", json_started(report->seconds));
	json_object_set_new(object, "duration_ms", json_integer((json_int_t)(report->seconds * 1000)));
	json_object_set_new(object, "parity_verified", json_boolean(!report->parity_skipped));
	json_object_set_new(object, "fs", report->csum_name ? json_filesystem(report) : json_null());
	add_lists(object, report);
	ret = json_dumpf(object, stdout, JSON_INDENT(2)) ? -EIO : 0;
	putchar('\n');
	json_decref(object);
	return ret;
}
