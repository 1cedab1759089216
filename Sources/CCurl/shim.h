#ifndef SLUICE_CCURL_SHIM_H
#define SLUICE_CCURL_SHIM_H
#include <features.h>
#include <curl/curl.h>
#endif
