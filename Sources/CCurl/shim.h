#ifndef SLUICE_CCURL_SHIM_H
#define SLUICE_CCURL_SHIM_H
#include <features.h>
// The type checks are macros for constant options; the functions below have one type each.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

// Swift can't call variadic functions: one typed door for each kind of argument.
static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
    return (curl_easy_setopt)(easy, option, value);
}
static inline CURLcode ccurl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return (curl_easy_setopt)(easy, option, value);
}
static inline CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value) {
    return (curl_easy_setopt)(easy, option, value);
}
static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return (curl_easy_setopt)(easy, option, value);
}
static inline CURLcode ccurl_set_write(CURL *easy, CURLoption option, curl_write_callback value) {
    return (curl_easy_setopt)(easy, option, value);
}
static inline CURLcode ccurl_set_read(CURL *easy, curl_read_callback value) {
    return (curl_easy_setopt)(easy, CURLOPT_READFUNCTION, value);
}
static inline CURLcode ccurl_set_prereq(CURL *easy, curl_prereq_callback value) {
    return (curl_easy_setopt)(easy, CURLOPT_PREREQFUNCTION, value);
}
static inline CURLcode ccurl_set_opensocket(CURL *easy, curl_opensocket_callback value) {
    return (curl_easy_setopt)(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}
static inline CURLcode ccurl_set_closesocket(CURL *easy, curl_closesocket_callback value) {
    return (curl_easy_setopt)(easy, CURLOPT_CLOSESOCKETFUNCTION, value);
}
static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return (curl_multi_setopt)(multi, option, value);
}
static inline CURLMcode ccurl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
    return (curl_multi_setopt)(multi, option, value);
}
static inline CURLMcode ccurl_multi_set_socket(CURLM *multi, curl_socket_callback value) {
    return (curl_multi_setopt)(multi, CURLMOPT_SOCKETFUNCTION, value);
}
static inline CURLMcode ccurl_multi_set_timer(CURLM *multi, curl_multi_timer_callback value) {
    return (curl_multi_setopt)(multi, CURLMOPT_TIMERFUNCTION, value);
}
// CURLMsg keeps its result in a union.
static inline CURLcode ccurl_message_result(const CURLMsg *message) { return message->data.result; }
#endif
