import * as z from 'zod';

/** Matches a well-formed language tag (RFC 5646, section 2.1), ignoring case. */
const TAG =
  /^([A-Za-z]{2,3}(-[A-Za-z]{3}){0,3}|[A-Za-z]{4,8})(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?(-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*(-[A-WY-Za-wy-z0-9](-[A-Za-z0-9]{2,8})+)*(-[Xx](-[A-Za-z0-9]{1,8})+)?$|^[Xx](-[A-Za-z0-9]{1,8})+$/;
/** Well-formed tags that predate the grammar and do not match `TAG`. */
const irregular = [
  'en-GB-oed',
  'i-ami',
  'i-bnn',
  'i-default',
  'i-enochian',
  'i-hak',
  'i-klingon',
  'i-lux',
  'i-mingo',
  'i-navajo',
  'i-pwn',
  'i-tao',
  'i-tay',
  'i-tsu',
  'sgn-BE-FR',
  'sgn-BE-NL',
  'sgn-CH-DE',
];
const inAnyCase = (tag: string): string =>
  tag.replace(/[a-z]/gi, (character) => `[${character.toUpperCase()}${character.toLowerCase()}]`);
const ANY_TAG = new RegExp(`${TAG.source}|^(${irregular.map(inAnyCase).join('|')})$`);
/** The locale of a person or bot, as sent. `languageOf` (language.ts) returns the language to use for text. */
export const Locale = z
  .string()
  .max(64)
  .regex(ANY_TAG)
  .meta({
    description:
      'A language tag (BCP 47), kept as sent. Texts are in this language if the service supports it, otherwise in ' +
      'English.',
  });
