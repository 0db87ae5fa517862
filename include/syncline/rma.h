/* SPDX-License-Identifier: BSD-3-Clause */
/* Put, get and accumulate, of consecutive bytes and of pieces. Programs include syncline.h. */
#ifndef SYNCLINE_RMA_H
#define SYNCLINE_RMA_H

#include "syncline/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Put and get -------------------------------------------------------------------------------------------- */

/*
 * Writes `bytes` to `target` at PE `rank`. Complete on return. Errors: _INVALID (`source` is NULL), _RANK, _ADDRESS,
 * _PEER, _NODE.
 */
SYNCLINE_API int syncline_put(int rank, syncline_address_t target, const void* source, size_t bytes);

/* Reads `bytes` from `source` at PE `rank`. Complete on return. Errors: those of syncline_put(). */
SYNCLINE_API int syncline_get(int rank, syncline_address_t source, void* target, size_t bytes);

/*
 * Non-blocking put and get. The source of a put may be written again when the call returns. If `request` is not NULL,
 * syncline_test() or syncline_wait() on it completes the operation. If it is NULL, syncline_poll() hands out the
 * completion, with `tag`. (Request and tag are the papers' token and tag.)
 */
SYNCLINE_API int syncline_put_nb(int rank, syncline_address_t target, const void* source, size_t bytes, uint64_t tag,
                                 syncline_request_t* request);
SYNCLINE_API int syncline_get_nb(int rank, syncline_address_t source, void* target, size_t bytes, uint64_t tag,
                                 syncline_request_t* request);

/* ---- Pieces and accumulate ---------------------------------------------------------------------------------- */

/* A piece: `bytes` bytes that begin `offset` bytes behind a base, in the base's segment. */
typedef struct syncline_piece {
    uint64_t offset;
    uint64_t bytes;
} syncline_piece_t;

/*
 * One put or get of `count` pieces of memory of PE `rank`: a column of a matrix, a face of a grid, members of
 * structures. At this PE the bytes of the pieces lie one behind the other, in the order of the list, from `source` or
 * `target` on. Complete on return.
 *
 * The pieces may come in any order. A piece without bytes is skipped, whatever its offset. Pieces may overlap: a get
 * brings the bytes once for each piece, and a put leaves in shared bytes those of any one of the pieces. The call does
 * not promise in which order pieces are written or read, nor that a reader sees a whole piece. The base itself may lie
 * anywhere in the segment. An empty list does nothing.
 *
 * The call checks every piece before it starts the first one, so an error in an argument means that no byte was moved.
 * There is one exception: only the target's node knows the length of a registration, so if the target is on another
 * node, pieces before or behind a refused one may have been moved.
 * Errors: _INVALID (NULL; the pieces together have more bytes than any memory holds), _RANK, _ADDRESS (a piece leaves
 * the segment, or base and offset together leave the range of addresses), _PEER, _NODE.
 */
SYNCLINE_API int syncline_put_pieces(int rank, syncline_address_t base, const syncline_piece_t* pieces, size_t count,
                                     const void* source);
SYNCLINE_API int syncline_get_pieces(int rank, syncline_address_t base, const syncline_piece_t* pieces, size_t count,
                                     void* target);

/* Types of the numbers that an accumulate adds, in the byte order of the machine; floating point is IEEE 754. */
enum syncline_element {
    SYNCLINE_INT32 = 0, /* modulo 2^32: signed and unsigned */
    SYNCLINE_INT64 = 1, /* modulo 2^64 */
    SYNCLINE_FLOAT = 2,
    SYNCLINE_DOUBLE = 3,
    SYNCLINE_COMPLEX_FLOAT = 4, /* 8 bytes: the real number, then the imaginary number */
    SYNCLINE_COMPLEX_DOUBLE = 5,
};

/*
 * Adds `count` elements to those at `target` of PE `rank`: target[i] += values[i], each exactly once. Complete on
 * return. Each addition is atomic against every other operation on its number. The halves of a complex element are
 * added separately, so a reader may see one half before the other. Sums of floats and doubles are rounded to nearest
 * even, in the order in which the additions happen to come. A caller that scales its values does so before the call.
 * `element` is one of enum syncline_element. Errors: those of syncline_put(), _ALIGNMENT (`target` is not a multiple of
 * the number's 4 or 8 bytes), _INVALID (no such element; more elements than any memory holds).
 */
SYNCLINE_API int syncline_accumulate(int rank, syncline_address_t target, int element, const void* values,
                                     size_t count);

/*
 * Accumulates in `count` pieces, which follow the rules of syncline_put_pieces(). An element that lies in several
 * pieces takes one addition for each. Errors besides: _ALIGNMENT (a piece's address is not a multiple of the number's 4
 * or 8 bytes, or its length is not a multiple of the element's).
 */
SYNCLINE_API int syncline_accumulate_pieces(int rank, syncline_address_t base, int element,
                                            const syncline_piece_t* pieces, size_t count, const void* values);

/*
 * Non-blocking forms of the calls above; `tag` and `request` are those of syncline_put_nb(). The list of pieces is the
 * caller's again when the call returns.
 */
SYNCLINE_API int syncline_put_pieces_nb(int rank, syncline_address_t base, const syncline_piece_t* pieces, size_t count,
                                        const void* source, uint64_t tag, syncline_request_t* request);
SYNCLINE_API int syncline_get_pieces_nb(int rank, syncline_address_t base, const syncline_piece_t* pieces, size_t count,
                                        void* target, uint64_t tag, syncline_request_t* request);
SYNCLINE_API int syncline_accumulate_nb(int rank, syncline_address_t target, int element, const void* values,
                                        size_t count, uint64_t tag, syncline_request_t* request);
SYNCLINE_API int syncline_accumulate_pieces_nb(int rank, syncline_address_t base, int element,
                                               const syncline_piece_t* pieces, size_t count, const void* values,
                                               uint64_t tag, syncline_request_t* request);

#ifdef __cplusplus
}
#endif

#endif
