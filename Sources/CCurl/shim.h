#pragma once

#include <curl/curl.h>
#include <stddef.h>

/* What Swift cannot call of libcurl: its variadic functions, one for each kind of argument. */

typedef size_t (*hearth_curl_transfer)(char *bytes, size_t size, size_t count, void *context);
typedef int (*hearth_curl_progress)(void *context, curl_off_t, curl_off_t, curl_off_t, curl_off_t);

/* Once a process, before anything else; 0 when it went well. */
static inline int hearth_curl_start(void) { return curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK; }

static inline CURLcode hearth_curl_set_text(CURL *handle, CURLoption option, const char *text)
{
	return curl_easy_setopt(handle, option, text);
}

static inline CURLcode hearth_curl_set_number(CURL *handle, CURLoption option, long number)
{
	return curl_easy_setopt(handle, option, number);
}

/* For the options whose names end in LARGE. */
static inline CURLcode hearth_curl_set_offset(CURL *handle, CURLoption option, curl_off_t offset)
{
	return curl_easy_setopt(handle, option, offset);
}

static inline CURLcode hearth_curl_set_pointer(CURL *handle, CURLoption option, void *pointer)
{
	return curl_easy_setopt(handle, option, pointer);
}

static inline CURLcode hearth_curl_set_transfer(CURL *handle, CURLoption option, hearth_curl_transfer function)
{
	return curl_easy_setopt(handle, option, function);
}

static inline CURLcode hearth_curl_set_progress(CURL *handle, hearth_curl_progress function)
{
	return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, function);
}

static inline long hearth_curl_status(CURL *handle)
{
	long status = 0;
	return curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0;
}

/* Where a redirection points to that is not followed, or null; it lasts as long as the handle. */
static inline const char *hearth_curl_redirection(CURL *handle)
{
	char *target = NULL;
	return curl_easy_getinfo(handle, CURLINFO_REDIRECT_URL, &target) == CURLE_OK ? target : NULL;
}
