// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <uuid/uuid.h>

#include "cmds/option-values.h"
#include "common/message.h"
#include "common/units.h"

int option_bad_value(const char *option, const char *value, const char *allowed)
{
	error("--%s %s: not valid; it takes %s", option, value, allowed);
	return -EINVAL;
}

int option_size(const char *option, const char *value, u64 *bytes)
{
	if (parse_size(value, bytes))
		return option_bad_value(option, value, "a size such as 4096, 16K or 10G");
	return 0;
}

int option_size32(const char *option, const char *value, u32 *bytes)
{
	u64 size;
	int ret = option_size(option, value, &size);

	if (ret)
		return ret;
	if (size > UINT32_MAX)
		return option_bad_value(option, value, "a size below 4G");
	*bytes = (u32)size;
	return 0;
}

int option_number(const char *option, const char *value, u64 max, u64 *number)
{
	char allowed[64];

	if (!parse_u64(value, number) && *number <= max)
		return 0;
	snprintf(allowed, sizeof(allowed), "a number from 0 to %llu", (unsigned long long)max);
	return option_bad_value(option, value, allowed);
}

int option_uuid(const char *option, const char *value, u8 *uuid)
{
	if (uuid_parse(value, uuid) || uuid_is_null(uuid))
		return option_bad_value(option, value, "a uuid such as 01234567-89ab-4def-8123-456789abcdef");
	return 0;
}

int option_word(const char *option, const char *value, const struct option_choice *choices, int *number)
{
	const struct option_choice *choice;
	char allowed[128] = "";
	size_t used = 0;

	for (choice = choices; choice->word; choice++) {
		if (!strcmp(choice->word, value)) {
			*number = choice->value;
			return 0;
		}
		if (used < sizeof(allowed))
			used += (size_t)snprintf(allowed + used, sizeof(allowed) - used, "%s%s",
						 used ? ", " : "one of: ", choice->word);
	}
	return option_bad_value(option, value, allowed);
}

int option_format(const char *value, bool *json)
{
	static const struct option_choice formats[] = { { "text", false }, { "json", true }, { NULL, 0 } };
	int number = 0;
	int ret = option_word("format", value, formats, &number);

	*json = number;
	return ret;
}

int option_progress(const char *value, enum progress_mode *mode)
{
	static const struct option_choice modes[] = {
		{ "auto", PROGRESS_AUTO },
		{ "always", PROGRESS_ALWAYS },
		{ "never", PROGRESS_NEVER },
		{ NULL, 0 },
	};
	int number = PROGRESS_AUTO;
	int ret = option_word("progress", value, modes, &number);

	*mode = (enum progress_mode)number;
	return ret;
}

int option_io(const char *value, enum io_direct_mode *mode)
{
	static const struct option_choice modes[] = {
		{ "auto", IO_DIRECT_AUTO },
		{ "direct", IO_DIRECT_ALWAYS },
		{ "buffered", IO_DIRECT_NEVER },
		{ NULL, 0 },
	};
	int number = IO_DIRECT_AUTO;
	int ret = option_word("io", value, modes, &number);

	*mode = (enum io_direct_mode)number;
	return ret;
}
