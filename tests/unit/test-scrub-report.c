// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * scrub/report: order, limit, sums and the exit status.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scrub/report.h"

static void init_report(struct scrub_report *report, size_t max)
{
	memset(report, 0, sizeof(*report));
	report->state = SCRUB_FINISHED;
	report->max_findings = max;
	report->devices = calloc(2, sizeof(*report->devices));
	assert_non_null(report->devices);
	report->nr_devices = 2;
	report->devices[0].devid = 1;
	report->devices[1].devid = 7;
}

static void add(struct scrub_report *report, u64 devid, u64 physical, bool correctable)
{
	struct scrub_finding finding = scrub_new_finding(SCRUB_DATA);

	finding.devid = devid;
	finding.physical = physical;
	finding.correctable = correctable;
	scrub_finding_text(&finding, "%s", "text");
	scrub_add_finding(report, &finding);
}

static void test_order_and_limit(void **state)
{
	struct scrub_report report;

	(void)state;
	init_report(&report, 3);
	add(&report, 7, 10, true);
	add(&report, 1, 20, true);
	add(&report, 1, 10, true);
	add(&report, 1, 0, true);
	scrub_report_finish(&report);
	assert_int_equal(report.findings_total, 4);
	assert_int_equal(report.nr_findings, 3);
	assert_int_equal(report.findings[0].devid, 1);
	assert_int_equal(report.findings[0].physical, 10);
	assert_int_equal(report.findings[1].physical, 20);
	assert_int_equal(report.findings[2].devid, 7);
	assert_int_equal(report.data_findings, 4);
	scrub_report_release(&report);
}

static void test_verdict(void **state)
{
	struct scrub_report report;

	(void)state;
	init_report(&report, 10);
	assert_int_equal(scrub_exit_code(&report), 0);
	assert_string_equal(scrub_verdict(&report), "clean");
	report.parity_skipped = true;
	assert_string_equal(scrub_verdict(&report), "parity-unverified");
	add(&report, 1, 0, true);
	assert_int_equal(scrub_exit_code(&report), 4);
	/* also when the one that cannot be corrected is not kept */
	report.max_findings = 1;
	add(&report, 1, 1, false);
	assert_int_equal(scrub_exit_code(&report), 3);
	assert_string_equal(scrub_verdict(&report), "uncorrectable");
	scrub_report_release(&report);
}

static void test_sums(void **state)
{
	const struct scrub_counter_name *counter;
	struct scrub_report report;
	size_t i;

	(void)state;
	init_report(&report, 10);
	scrub_device_counters(&report, 1)->csum_errors = 3;
	scrub_device_counters(&report, 1)->last_physical = 500;
	scrub_device_counters(&report, 7)->csum_errors = 4;
	scrub_device_counters(&report, 7)->last_physical = 300;
	scrub_device_counters(&report, 99)->csum_errors = 5;
	scrub_report_finish(&report);
	assert_int_equal(report.totals.csum_errors, 12);
	assert_int_equal(report.totals.last_physical, 500);
	assert_int_equal(report.devices[1].stats.csum_errors, 4);
	for (i = 0; (counter = scrub_counter_at(i)); i++) {
		if (!strcmp(counter->name, "csum_errors"))
			assert_int_equal(scrub_counter_value(&report.totals, counter->offset), 12);
	}
	assert_int_equal(i, sizeof(struct scrub_counters) / sizeof(u64));
	scrub_report_release(&report);
}

static void test_notes(void **state)
{
	struct scrub_report report;
	int i;

	(void)state;
	init_report(&report, 10);
	for (i = 0; i < 150; i++)
		scrub_add_note(&report, "note %d", i);
	assert_int_equal(report.nr_notes, 100);
	assert_int_equal(report.notes_dropped, 50);
	assert_string_equal(report.notes[99], "note 99");
	scrub_report_release(&report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_and_limit),
		cmocka_unit_test(test_verdict),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_notes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
