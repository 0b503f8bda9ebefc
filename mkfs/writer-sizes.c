// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How large everything is: whether chunks are fitted to the content, what sizes targets get that are fitted to it, and
 * what is needed at least. Where an estimate is not enough to tell, the run is imagined first: the source is read, and
 * everything happens but the writing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/message.h"
#include "common/units.h"
#include "mkfs/writer-internal.h"

/* ---- imagined runs ---- */

/* Room for everything; the answer is how much of it is used. */
static void set_all(u64 *sizes, unsigned nr, u64 size)
{
	unsigned i;

	for (i = 0; i < nr; i++)
		sizes[i] = size;
}

static u64 largest(const u64 *sizes, unsigned nr)
{
	u64 most = 0;
	unsigned i;

	for (i = 0; i < nr; i++)
		most = MAX(most, sizes[i]);
	return most;
}

static bool all_equal(const u64 *sizes, unsigned nr)
{
	unsigned i;

	for (i = 1; i < nr; i++) {
		if (sizes[i] != sizes[0])
			return false;
	}
	return true;
}

/* The run on devices of @sizes; those of FIT_SIZE come back as they were fitted. */
static int imagine(const struct writer *writer, u64 *sizes)
{
	const unsigned nr = writer->set.nr;
	struct mkfs_report report = { 0 };
	struct writer inner = {
		.options = writer->options,
		.report = &report,
		.set = writer->set,
		.imagined = true,
		.silent = true,
		.fitted = true,
		.start = writer->start,
	};
	int ret = -ENOMEM;

	inner.sizes = calloc(nr, sizeof(*sizes));
	if (inner.sizes) {
		memcpy(inner.sizes, sizes, nr * sizeof(*sizes));
		message_hold_warnings(true);
		ret = writer_run_phases(&inner);
		message_hold_warnings(false);
	}
	if (!ret)
		memcpy(sizes, inner.sizes, nr * sizeof(*sizes));
	writer_release(&inner, false);
	return ret;
}

/* The size that each of so many equal devices needs, and not one sector less. */
static int find_smallest(const struct writer *writer, u64 *smallest)
{
	const unsigned nr = writer->set.nr;
	u64 *sizes = calloc(nr, sizeof(*sizes));
	int ret = -ENOMEM;

	if (sizes) {
		set_all(sizes, nr, FIT_SIZE);
		ret = imagine(writer, sizes);
		*smallest = largest(sizes, nr);
	}
	free(sizes);
	return ret;
}

/* ---- before anything is written ---- */

static int refuse(const struct writer *writer, u64 smallest)
{
	const struct mkfs_layout *layout = &writer->layout;
	const unsigned nr = writer->set.nr;
	u64 total = 0;
	unsigned i;

	for (i = 0; i < nr; i++)
		total += writer->sizes[i];
	error("the target%s too small: %llu bytes (%s) needed%s for data (%s) and metadata (%s)%s, "
	      "%llu (%s) available%s; use larger targets or a profile with fewer copies",
	      nr > 1 ? "s are" : " is", (unsigned long long)smallest, format_size(smallest).text,
	      nr > 1 ? " on each" : "", btrfs_raid_attr(layout->data_type)->name,
	      btrfs_raid_attr(layout->metadata_type)->name, writer->options->slack ? " with --slack" : "",
	      (unsigned long long)total, format_size(total).text,
	      nr > 1 ? " on all together" : "");
	return -ENOSPC;
}

/* The estimate does not tell whether it fits: then the source has to. */
static int decide(struct writer *writer)
{
	const unsigned nr = writer->set.nr;
	const struct space_need certain = { .data = writer->inexact ? 0 : writer->expected.data };
	u64 smallest, *sizes;
	int ret;

	if (!all_equal(writer->sizes, nr) && space_may_fit(&writer->layout, writer->sizes, nr, &certain)) {
		sizes = calloc(nr, sizeof(*sizes));
		if (!sizes)
			return -ENOMEM;
		memcpy(sizes, writer->sizes, nr * sizeof(*sizes));
		ret = imagine(writer, sizes);
		free(sizes);
		if (ret != -ENOSPC)
			return ret;
	}
	ret = find_smallest(writer, &smallest);
	if (ret)
		return ret;
	if (all_equal(writer->sizes, nr) && smallest <= writer->sizes[0])
		return 0;
	return refuse(writer, smallest);
}

static bool is_to_fit(const struct writer *writer, unsigned nr)
{
	return writer->sizes[nr] == FIT_SIZE || writer->options->shrink;
}

/* New files are made longer than they will be, since a file that grows takes no direct writes side by side. */
static void stretch_files(const struct writer *writer)
{
	const u64 size = space_raw_bytes(&writer->layout, &writer->expected, writer->set.nr) + SZ_1G;
	unsigned i;

	for (i = 0; i < writer->set.nr; i++) {
		if (writer->sizes[i] == FIT_SIZE)
			(void)io_device_resize(&writer->set.devices[i], size);
	}
}

int writer_choose_policy(struct writer *writer)
{
	const struct mkfs_options *options = writer->options;
	const struct mkfs_layout *layout = &writer->layout;
	const unsigned nr = writer->set.nr;
	const bool given = !options->shrink && largest(writer->sizes, nr) != FIT_SIZE;
	struct space_need most;

	writer->expected = space_estimate(layout, &writer->totals,
					  mkfs_compression_types(options) ? COMPRESSION_MAX_INPUT : 0);
	writer->inexact = options->dedupe || mkfs_compression_types(options);
	writer->least_headroom = space_headroom(layout, options->slack) + options->slack / 64;
	writer->headroom = writer->least_headroom;
	if (writer->silent)
		return 0;
	if (options->slack && given) {
		error("--slack %llu: the size of the target%s is given already; it is for new image files without -b, "
		      "and for --shrink", (unsigned long long)options->slack, nr > 1 ? "s" : "");
		return -EINVAL;
	}
	if (given && space_fits(layout, writer->sizes, nr, &writer->expected, false))
		return 0;
	writer->fitted = true;
	if (all_equal(writer->sizes, nr) && writer->sizes[0] == FIT_SIZE) {
		stretch_files(writer);
		return 0;
	}
	most = writer->expected;
	most.data += options->slack + options->slack / 32;
	most.metadata += writer->headroom;
	/* where the size is given, and there is room for it, the kernel shall be able to write */
	if (given)
		writer->headroom = space_headroom(layout, true);
	if (!space_fits(layout, writer->sizes, nr, &most, true)) {
		int ret = decide(writer);

		if (ret)
			return ret;
	}
	stretch_files(writer);
	return 0;
}

/* ---- when the content is known ---- */

/* Room for --slack bytes of new files, evenly on the devices that are fitted. */
static void add_slack(struct writer *writer, u64 *sizes)
{
	const u64 slack = writer->options->slack;
	/* the trees that describe new data: a checksum for each sector, and the rest */
	const u64 wanted = slack ? slack + slack / 32 + SZ_1M : 0;
	unsigned i, nr_fitted = 0;
	u64 left;

	for (i = 0; i < writer->set.nr; i++)
		nr_fitted += is_to_fit(writer, i);
	chunk_resize_devices(&writer->alloc, sizes);
	while ((left = chunk_space_left(&writer->alloc, writer->layout.data_type)) < wanted) {
		const u64 step = ALIGN_UP(MAX((wanted - left) / nr_fitted, SZ_1M), BTRFS_STRIPE_LEN);

		for (i = 0; i < writer->set.nr; i++)
			sizes[i] += is_to_fit(writer, i) ? step : 0;
		chunk_resize_devices(&writer->alloc, sizes);
	}
}

static int check_limits(const struct writer *writer, const u64 *sizes)
{
	unsigned i;

	for (i = 0; i < writer->set.nr; i++) {
		const struct io_device *device = &writer->set.devices[i];

		if (sizes[i] <= writer->sizes[i])
			continue;
		if (!writer->silent)
			error("%s is too small for --slack %llu: %llu bytes (%s) needed, %llu (%s) available",
			      device->path, (unsigned long long)writer->options->slack, (unsigned long long)sizes[i],
			      format_size(sizes[i]).text, (unsigned long long)writer->sizes[i],
			      format_size(writer->sizes[i]).text);
		return -ENOSPC;
	}
	return 0;
}

static int resize_files(const struct writer *writer, const u64 *sizes)
{
	unsigned i;
	int ret = 0;

	for (i = 0; !ret && i < writer->set.nr; i++) {
		struct io_device *device = &writer->set.devices[i];

		if (!is_to_fit(writer, i) || device->is_block || device->base)
			continue;
		ret = io_device_resize(device, sizes[i]);
		if (ret)
			error("%s cannot be given a size of %llu bytes (%s): %s", device->path,
			      (unsigned long long)sizes[i], format_size(sizes[i]).text, strerror(-ret));
	}
	return ret;
}

/* Up to the end of the last stripe. */
static u64 fitted_size(const struct writer *writer, unsigned nr)
{
	const u64 end = chunk_device_end(&writer->alloc, nr);

	return ALIGN_UP(MAX(end, mkfs_min_device_size(writer->options)), (u64)writer->layout.sectorsize);
}

static int settle(struct writer *writer, u64 *sizes)
{
	const unsigned nr = writer->set.nr;
	unsigned i, nr_fitted = 0;
	int ret;

	for (i = 0; i < nr; i++) {
		sizes[i] = writer->sizes[i];
		if (is_to_fit(writer, i)) {
			sizes[i] = fitted_size(writer, i);
			nr_fitted++;
		}
	}
	if (nr_fitted)
		add_slack(writer, sizes);
	if (nr_fitted == nr && all_equal(writer->sizes, nr))
		writer->smallest = largest(sizes, nr);
	ret = check_limits(writer, sizes);
	if (!ret && !writer->imagined)
		ret = resize_files(writer, sizes);
	if (!ret)
		memcpy(writer->sizes, sizes, nr * sizeof(*sizes));
	return ret;
}

int writer_settle_sizes(struct writer *writer)
{
	u64 *sizes = calloc(writer->set.nr, sizeof(*sizes));
	int ret = sizes ? settle(writer, sizes) : -ENOMEM;

	free(sizes);
	if (!ret && writer->options->dry_run && !writer->silent && !writer->smallest)
		ret = find_smallest(writer, &writer->smallest);
	return ret;
}
