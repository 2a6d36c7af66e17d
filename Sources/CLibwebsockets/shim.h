#pragma once

#include <libwebsockets.h>
#include <poll.h>
#include <linux/sockios.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <uv.h>

/* What Swift cannot see of the C libraries: computed macros, variadic functions, unions. */

/* Bytes that lws_write() wants in front of a payload that it frames. */
static inline size_t hearth_lws_pre(void) { return LWS_PRE; }

/* Adopts an accepted socket in HTTP serving mode; the socket is closed when this returns null. */
static inline struct lws *hearth_adopt(struct lws_vhost *vhost, int descriptor, void *opaque, int with_tls)
{
	lws_adopt_desc_t info;
	memset(&info, 0, sizeof info);
	info.vh = vhost;
	info.type = LWS_ADOPT_SOCKET | LWS_ADOPT_HTTP | (with_tls ? LWS_ADOPT_ALLOW_SSL : 0);
	info.fd.sockfd = descriptor;
	info.opaque = opaque;
	return lws_adopt_descriptor_vhost_via_info(&info);
}

/* A TCP socket that does not block and is not inherited, or -1. */
static inline int hearth_stream_socket(int family)
{
	return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/* Declared by <sys/socket.h> for GNU sources only. */
int accept4(int, struct sockaddr *, socklen_t *, int);

/* Accepts a connection likewise; -1 with errno when there is none. */
static inline int hearth_accept(int listening, struct sockaddr_storage *peer)
{
	socklen_t length = sizeof *peer;
	return accept4(listening, (struct sockaddr *)peer, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/* The event of poll() for a peer that has closed its side; declared for GNU sources only. */
static inline short hearth_poll_hangup(void) { return 0x2000 /* POLLRDHUP */; }

/*
 * Ends sending on a socket, or both ways. Swift does not always find the constants of shutdown(), which are enumerators of
 * <sys/socket.h> and belong to whichever module included it first.
 */
static inline void hearth_end_sending(int descriptor) { shutdown(descriptor, SHUT_WR); }
static inline void hearth_end_both_ways(int descriptor) { shutdown(descriptor, SHUT_RDWR); }

/* Bytes that wait in the socket's receive queue, or -1. */
static inline int hearth_readable_bytes(int descriptor)
{
	int count = 0;
	return ioctl(descriptor, FIONREAD, &count) ? -1 : count;
}

/* Bytes handed to the kernel that the peer's kernel has not acknowledged, or -1. */
static inline int hearth_unacknowledged_bytes(int descriptor)
{
	int count = 0;
	return ioctl(descriptor, SIOCOUTQ, &count) ? -1 : count;
}

/*
 * Bytes of the connection that the peer's kernel has acknowledged so far; 0 when unknown. It is tcpi_bytes_acked of struct
 * tcp_info in <linux/tcp.h>, which cannot be included beside <netinet/tcp.h>; the layout is kernel ABI.
 */
static inline uint64_t hearth_acknowledged_bytes(int descriptor)
{
	unsigned char info[256];
	socklen_t length = sizeof info;
	uint64_t acknowledged = 0;
	memset(info, 0, sizeof info);
	if (getsockopt(descriptor, IPPROTO_TCP, 11 /* TCP_INFO */, info, &length) || length < 128)
		return 0;
	memcpy(&acknowledged, info + 120, sizeof acknowledged);
	return acknowledged;
}

/*
 * Bytes of the connection that have been read from its socket so far; 0 when unknown. It is tcpi_bytes_received of the same
 * structure, less what waits to be read.
 */
static inline uint64_t hearth_read_bytes(int descriptor)
{
	unsigned char info[256];
	for (int attempt = 0; attempt < 4; attempt++) {
		uint64_t before = 0, after = 0;
		int waiting;
		for (int look = 0; look < 2; look++) {
			socklen_t length = sizeof info;
			memset(info, 0, sizeof info);
			if (getsockopt(descriptor, IPPROTO_TCP, 11 /* TCP_INFO */, info, &length) || length < 136)
				return 0;
			memcpy(look ? &after : &before, info + 128, sizeof before);
			if (!look && (waiting = hearth_readable_bytes(descriptor)) < 0)
				return 0;
		}
		/* What arrived between the two questions would make them contradict each other. */
		if (before == after)
			return after < (uint64_t)waiting ? 0 : after - (uint64_t)waiting;
	}
	return 0;
}

/*
 * Loads a certificate chain and its key into a server's TLS context for the connections to come. Both files are tried on a
 * context of their own first, so that a bad file leaves the running one as it is. Returns null, or why it failed.
 */
static inline const char *hearth_tls_reload(void *server_context, const char *certificate, const char *key)
{
	SSL_CTX *trial = SSL_CTX_new(TLS_server_method());
	const char *reason = NULL;
	if (!trial)
		return "out of memory";
	if (SSL_CTX_use_certificate_chain_file(trial, certificate) != 1)
		reason = "the certificate file cannot be read";
	else if (SSL_CTX_use_PrivateKey_file(trial, key, SSL_FILETYPE_PEM) != 1)
		reason = "the key file cannot be read or does not belong to the certificate";
	else if (SSL_CTX_check_private_key(trial) != 1)
		reason = "the key does not belong to the certificate";
	if (!reason && server_context) {
		SSL_CTX *server = (SSL_CTX *)server_context;
		if (SSL_CTX_use_certificate_chain_file(server, certificate) != 1 ||
		    SSL_CTX_use_PrivateKey_file(server, key, SSL_FILETYPE_PEM) != 1)
			reason = "the files changed while they were read";
	}
	SSL_CTX_free(trial);
	ERR_clear_error();
	return reason;
}
