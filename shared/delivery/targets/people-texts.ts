import type { Language } from '#shared/domain/identity/locale.ts';
import type { Letter } from './person.ts';

const takingCare: Record<Language, string> = { en: 'I take care of it:', de: 'Ich kümmere mich darum:' };

/** The most of one message: characters of an SMS and of a Telegram message, and bytes of a push before it is encrypted. */
export const LONGEST = { sms: 1_600, telegram: 4_096, push: 3_000 } as const;

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Cuts a text to so many characters as services count them (UTF-16), never within a character. */
const cut = (text: string, most: number): string => {
  if (text.length <= most) return text;
  const kept = text.slice(0, most - 1);
  return `${kept.isWellFormed() ? kept : kept.slice(0, -1)}…`;
};

const linkOf = ({ url, language }: Letter): string => (url === null ? '' : `\n\n${takingCare[language]}\n${url}`);

/** A letter as a mail: its subject on one line, and its text. */
export const asMail = (letter: Letter) => ({ subject: oneLine(letter.title), text: letter.text + linkOf(letter) });

/** A letter as one message. What is too long is cut before the address, which stays whole. */
export const asMessage = (letter: Letter, most: number): string => {
  const link = linkOf(letter);
  return cut([letter.title, letter.text].filter((part) => part !== '').join('\n'), most - link.length) + link;
};

/** A letter as the console's service worker reads it (lib/console/push/worker.ts). */
export const asPush = (letter: Letter): string => {
  const body = (text: string) => JSON.stringify({ ...letter, title: cut(letter.title, 200), text });
  let { text } = letter;
  while (Buffer.byteLength(body(text)) > LONGEST.push && text.length > 1) text = cut(text, Math.ceil(text.length / 2));
  return body(text);
};
