import { ZERO_WIDTH } from '../formats/plain-text.ts';

/** The contents of an SMS. `link` is null if there is nothing to acknowledge. */
type SmsContent = {
  title: string;
  text: string;
  /** The situation and sensor, which are never cut off. Missing if the message is not an alarm. */
  subject?: { situation: string; sensor: string } | undefined;
  link: { label: string; url: string } | null;
};

/** The billed SMS size. `units` are septets in GSM 03.38, and UTF-16 code units in UCS-2. */
type SmsSize = { encoding: 'gsm' | 'ucs2'; units: number; parts: number };

/** The maximum number of parts per SMS. Each part is billed. */
export const MAX_SMS_PARTS = 3;

/** The GSM 03.38 characters: the default alphabet, and the extension table, where each character takes two septets. */
const LATIN = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const basic = new Set(`${LATIN} \n\r@£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ!"#¤%&'()*+,-./:;<=>?¡ÄÖÑÜ§¿äöñüà`);
const extended = new Set('\f^{}\\[~]|€');

/** The units in a single-part SMS, and in each part of a longer one, where a header takes up the rest. */
const capacities = { gsm: { alone: 160, joined: 153 }, ucs2: { alone: 70, joined: 67 } } as const;

const isGsm = (text: string): boolean => [...text].every((char) => basic.has(char) || extended.has(char));

/** Returns the size of an SMS. No part ends in the middle of a character. */
export const sizeOfSms = (text: string): SmsSize => {
  const encoding = isGsm(text) ? 'gsm' : 'ucs2';
  const unitsOf = (char: string): number => (encoding === 'gsm' ? 1 + Number(extended.has(char)) : char.length);
  const { alone, joined } = capacities[encoding];
  let units = 0;
  let parts = 1;
  let used = 0;
  for (const char of text) {
    const size = unitsOf(char);
    units += size;
    const isFull = used + size > joined;
    parts += Number(isFull);
    used = isFull ? size : used + size;
  }
  return { encoding, units, parts: units <= alone ? 1 : parts };
};

/** Characters that GSM 03.38 lacks, with plain forms that mean the same thing. */
const plainForms: readonly (readonly [RegExp, string])[] = [
  [/[‘’‚‛′‹›`´ʹʼ]/gu, "'"],
  [/[“”„‟″«»]/gu, '"'],
  [/[‐‑‒–—―−⁃•‣]/gu, '-'],
  [/…/gu, '...'],
  // In names, a splitter marks where programs would find a link. It becomes a visible character, because GSM 03.38 has
  // no invisible characters.
  [new RegExp(`(?<=[.:。．｡])${ZERO_WIDTH}`, 'gu'), ' '],
  [new RegExp(ZERO_WIDTH, 'gu'), ''],
  [/[^\S\n]/gu, ' '],
];
/**
 * Characters with no visible shape. Some scripts and emojis need them, so they are removed only if the text can then be
 * sent in GSM 03.38.
 */
const invisible = /\p{Default_Ignorable_Code_Point}/gu;

/** Replaces quotes, dashes, spaces and the like with plain forms, so that the text can be sent in GSM 03.38. */
const plainForm = (text: string): string => {
  const plain = plainForms.reduce((result, [form, by]) => result.replaceAll(form, by), text.normalize('NFC'));
  const visible = plain.replaceAll(invisible, '');
  return isGsm(visible) ? visible : plain;
};

const fits = (text: string): boolean => sizeOfSms(text).parts <= MAX_SMS_PARTS;

/** Shortens the end of `text` so that it fits between `head` and `tail`. Returns all three. */
const shortened = (head: string, text: string, tail: string): string => {
  const chars = [...text];
  const cutTo = (length: number): string =>
    `${head}${chars.slice(0, length).join('').trimEnd()}${length < chars.length ? '...' : ''}${tail}`;
  let low = 0;
  let high = chars.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(cutTo(middle))) low = middle;
    else high = middle - 1;
  }
  return cutTo(low);
};

/**
 * Returns the text for an SMS with at most three parts. If it is too long, the situation, the sensor and the link
 * remain, and the rest is shortened. The sensor name is shortened only if it does not fit next to the link in UCS-2.
 */
export const smsText = ({ title, text, subject, link }: SmsContent): string => {
  const [label, url] = link ? [`\n\n${link.label}\n`, link.url] : ['', ''];
  const words = plainForm([title, text].filter((part) => part !== '').join('\n'));
  if (fits(words + label + url)) return words + label + url;

  const essentials = subject ? [plainForm(subject.situation), plainForm(subject.sensor)] : [];
  const inOrder = shortened('', words, label + url);
  if (essentials.every((essential) => inOrder.includes(essential)) && fits(inOrder)) return inOrder;

  const head = essentials.join(': ');
  if (fits(`${head}\n...${label}${url}`)) return shortened(`${head}\n`, words, label + url);
  if (fits(head + label + url)) return head + label + url;
  return shortened('', head, url && `\n${url}`);
};
