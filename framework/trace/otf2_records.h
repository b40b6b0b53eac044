/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Expands the record tables twice in one place: libotf2's callbacks need a record's fields as parameters and again in
 * the body.
 *
 * Given FIELD, FIELD_ARRAY, FIELD_TEXT and FIELD_NONE as the table's F, A, S and N, the FIELDS of a row become a list
 * of (shape, ctype, role, field), which EACH(macro, list) expands. */
#ifndef TCFLOW_FRAMEWORK_OTF2_RECORDS_H
#define TCFLOW_FRAMEWORK_OTF2_RECORDS_H

#include <otf2/otf2.h>
#include <tcflow/definitions.h>

#define FIELD(record, ctype, role, field) , (PLAIN, ctype, role, field)
#define FIELD_ARRAY(record, ctype, role, field) , (ARRAY, ctype, role, field)
#define FIELD_TEXT(record, field) , (TEXT, none, none, field)
#define FIELD_NONE(record)

#define EACH_0(m)
#define EACH_1(m, f) m f
#define EACH_2(m, f, ...) m f EACH_1(m, __VA_ARGS__)
#define EACH_3(m, f, ...) m f EACH_2(m, __VA_ARGS__)
#define EACH_4(m, f, ...) m f EACH_3(m, __VA_ARGS__)
#define EACH_5(m, f, ...) m f EACH_4(m, __VA_ARGS__)
#define EACH_6(m, f, ...) m f EACH_5(m, __VA_ARGS__)
#define EACH_7(m, f, ...) m f EACH_6(m, __VA_ARGS__)
#define EACH_8(m, f, ...) m f EACH_7(m, __VA_ARGS__)
#define EACH_9(m, f, ...) m f EACH_8(m, __VA_ARGS__)
#define EACH_10(m, f, ...) m f EACH_9(m, __VA_ARGS__)
#define EACH_PICK(_0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, name, ...) name
#define EACH(m, ...)                                                                                                   \
    EACH_PICK(_, ##__VA_ARGS__, EACH_10, EACH_9, EACH_8, EACH_7, EACH_6, EACH_5, EACH_4, EACH_3, EACH_2, EACH_1,       \
              EACH_0, )                                                                                                \
    (m, ##__VA_ARGS__)

/* The type of a field in libotf2's callbacks. */
#define OTF2_CTYPE_u8 uint8_t
#define OTF2_CTYPE_u32 uint32_t
#define OTF2_CTYPE_u64 uint64_t
#define OTF2_CTYPE_i64 int64_t
#define OTF2_CTYPE_id8 uint8_t
#define OTF2_CTYPE_value OTF2_AttributeValue

/* The bits of an attribute value; bits that its type doesn't use are 0. */
static inline uint64_t otf2_value_bits(OTF2_Type type, OTF2_AttributeValue value)
{
    OTF2_AttributeValue clean = {.uint64 = 0};

    switch (type) {
    case OTF2_TYPE_UINT8:
    case OTF2_TYPE_INT8:
        clean.uint8 = value.uint8;
        break;
    case OTF2_TYPE_UINT16:
    case OTF2_TYPE_INT16:
        clean.uint16 = value.uint16;
        break;
    case OTF2_TYPE_UINT32:
    case OTF2_TYPE_INT32:
    case OTF2_TYPE_FLOAT:
        clean.uint32 = value.uint32;
        break;
    default: /* references but those of locations have 32 bits; types that this libotf2 doesn't know are read as 64 */
        if (tcf_ref_of_type(type) >= 0 && type != OTF2_TYPE_LOCATION)
            clean.stringRef = value.stringRef;
        else
            clean = value;
    }
    return clean.uint64;
}

#endif
