// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Formats findings: see finding.h.
 */
#include <stdio.h>

#include "reader/finding.h"

void btrfs_report_finding(const struct btrfs_finding_sink *sink, struct btrfs_finding finding,
			  const char *fmt, ...)
{
	char text[512];
	va_list args;

	if (!sink->report)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	finding.text = text;
	sink->report(sink->arg, &finding);
}
