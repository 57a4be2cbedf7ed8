import * as z from 'zod';
import { lengthOf } from '../values.ts';

// Control characters, spaces, invisible characters and lone surrogates, which belong to no script.
const NOWHERE = String.raw`\u007f-\u00a0\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ud800-\udfff\ufeff\ufffe\uffff`;
const ATOM = String.raw`[^\u0000-\u0020"(),.:;<>@\[\\\]${NOWHERE}]+`;
const LETTER = String.raw`[^\u0000-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007e${NOWHERE}]`;
const LETTER_OR_HYPHEN = String.raw`[^\u0000-\u002c\u002e\u002f\u003a-\u0040\u005b-\u0060\u007b-\u007e${NOWHERE}]`;
const DOMAIN = String.raw`(?:${LETTER}${LETTER_OR_HYPHEN}*\.)+(?![0-9]+$)${LETTER}${LETTER_OR_HYPHEN}+`;
const EMAIL = String.raw`^(?:${ATOM}(?:\.${ATOM})*@${DOMAIN})?$`;

/** An email address in any script (RFC 6531), at most 254 code points, or an empty string. */
export const email = z
  .string()
  .regex(new RegExp(EMAIL, 'u'))
  .refine((value) => lengthOf(value) <= 254)
  // The documented pattern works in every regex engine, but allows more than the service accepts.
  .meta({
    maxLength: 254,
    pattern: String.raw`^([^@\s]+@[^@\s]+)?$`,
    description: 'an email address in any script, or empty',
  });
