import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_SMS_PARTS, sizeOfSms, smsText } from '#shared/domain/people/sms-text.ts';

// A stage without a domain has the longest links.
const url =
  'https://abcdefghij.execute-api.eu-central-1.amazonaws.com/api/v1/acknowledge/12884901889-0-1795316844-c2lnbmVkIGJ5IHRoZSBrZX';
const link = { label: "I'm on it:", url };
const subject = { situation: 'Fall detected', sensor: 'Room 12' };
const alarm = { title: 'Fall detected: Room 12', text: 'Please check on room 12.', subject, link };

describe('SMS size', () => {
  test.each([
    ['', 'gsm', 0, 1],
    ['a'.repeat(160), 'gsm', 160, 1],
    ['a'.repeat(161), 'gsm', 161, 2],
    ['a'.repeat(306), 'gsm', 306, 2],
    ['a'.repeat(307), 'gsm', 307, 3],
    ['€'.repeat(80), 'gsm', 160, 1],
    ['€'.repeat(81), 'gsm', 162, 2],
    ['@£$¥èéùìòÇ\nØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ¡ÄÖÑÜ§¿äöñüà[]{}~^|\\', 'gsm', 58, 1],
    ['ç'.repeat(70), 'ucs2', 70, 1],
    ['ç'.repeat(71), 'ucs2', 71, 2],
    ['ç'.repeat(134), 'ucs2', 134, 2],
    ['ç'.repeat(135), 'ucs2', 135, 3],
    ['🚨'.repeat(35), 'ucs2', 70, 1],
  ] as const)('sizeOfSms measures %j as %s', (text, encoding, units, parts) => {
    expect(sizeOfSms(text)).toEqual({ encoding, units, parts });
  });

  test('sizeOfSms leaves the last unit of a part empty rather than splitting a character', () => {
    // 153 and 67 are odd, so pairs never fill a part.
    expect(sizeOfSms('€'.repeat(152)).parts).toBe(2);
    expect(sizeOfSms('€'.repeat(153)).parts).toBe(3);
    expect(sizeOfSms('🚨'.repeat(66)).parts).toBe(2);
    expect(sizeOfSms('🚨'.repeat(67)).parts).toBe(3);
  });
});

describe('SMS text', () => {
  test('an SMS contains the complete title, text, label and link if they fit', () => {
    expect(smsText(alarm)).toBe(`Fall detected: Room 12\nPlease check on room 12.\n\nI'm on it:\n${url}`);
    expect(smsText({ title: 'Test', text: '', link: null })).toBe('Test');
  });

  test.each([
    ['Chambre 12 – étage 1 : chute détectée', 'Chambre 12 - étage 1 : chute détectée'],
    ['Résidence de l’Étoile, „Süd“ «A» … ‹B›', `Résidence de l'Étoile, "Süd" "A" ... 'B'`],
    ['Zimmer 12 — “Ost”', 'Zimmer 12 - "Ost"'],
    ['Cafe\u0301 a\u0308', 'Café ä'],
    ['Soft\u00adhyphen, word\u2060joiner', 'Softhyphen, wordjoiner'],
  ])('smsText writes %j in GSM 03.38', (title, plain) => {
    const text = smsText({ ...alarm, title, text: '' });
    expect([text.split('\n')[0], sizeOfSms(text).encoding]).toEqual([plain, 'gsm']);
  });

  test('smsText keeps other scripts and emojis, including joiners', () => {
    for (const title of ['Français 12', 'غرفة 12', 'نمی\u200cخواهم', '👩\u200d⚕️ Room 12'])
      expect(smsText({ ...alarm, title }).split('\n')[0]).toBe(title);
  });

  test('smsText uses spaces to break up web addresses in names', () => {
    const text = smsText({ ...alarm, title: 'Fall: https:\u200b//evil.\u200bexample, a@\u200bb.\u200bde' });
    expect(text.split('\n')[0]).toBe('Fall: https: //evil. example, a@b. de');
  });

  test('smsText cuts long alarm text but keeps the title and link', () => {
    const text = smsText({ ...alarm, text: 'm'.repeat(2_048) });
    expect(text).toMatch(/^Fall detected: Room 12\nm+\.\.\.\n\nI'm on it:\nhttps:\S+$/);
    expect(sizeOfSms(text)).toEqual({ encoding: 'gsm', units: 459, parts: 3 });
  });

  test('smsText starts with situation and sensor if they would be cut off otherwise', () => {
    const shortened = /^Fall detected: Room 12\nT+\nm+\.\.\.\n\nI'm on it:\nhttps:\S+$/;
    expect(smsText({ ...alarm, title: 'T'.repeat(128), text: `${'m'.repeat(500)} Room 12` })).toMatch(shortened);
  });

  test('smsText shortens a sensor name only to make room for the link', () => {
    const sensor = 'غ'.repeat(64);
    const subject = { situation: 'Sturz vermutet (sensibel)', sensor };
    const text = smsText({ ...alarm, title: sensor, text: sensor, subject });
    expect(text).toMatch(/^Sturz vermutet \(sensibel\): غ{40,50}\.\.\.\nhttps:\S+$/);
    expect(sizeOfSms(text).parts).toBe(MAX_SMS_PARTS);
  });
});

/** The number of parts according to the formula that gateways publish. */
const partsByFormula = (text: string): number => {
  const { encoding, units } = sizeOfSms(text);
  const [alone, joined] = encoding === 'gsm' ? [160, 153] : [70, 67];
  return units <= alone ? 1 : Math.ceil(units / joined);
};
// No dots, so three dots in a row mean that text was shortened.
const pieces = ['a', 'Z', '7', ' ', ',', "'", '’', '–', '€', '[', '~', 'é', 'ç', 'ß', '\u00a0', '\u200b'];
const wordsOf = (more: readonly string[], maxLength: number) =>
  fc.array(fc.constantFrom(...pieces, ...more), { maxLength }).map((chars) => chars.join(''));
const anyWords = (maxLength: number) =>
  fc.oneof(wordsOf([], maxLength), wordsOf(['غ', '字', '🚨', '👩\u200d⚕️'], maxLength));
const anySensor = fc.stringMatching(/^[A-Za-z0-9ÄÖÜäöüß][A-Za-z0-9ÄÖÜäöüß ]{0,62}[a-z0-9]$/);
const anyUrl = fc.stringMatching(/^https:\/\/[a-z0-9-]{4,50}\.example\/[\w-]{40,90}$/);

test('an SMS never exceeds three parts', () => {
  fc.assert(
    fc.property(
      fc.tuple(anyWords(128), anyWords(600), anySensor, anyUrl, fc.boolean()),
      ([title, text, sensor, url, isNamed]) => {
        const alarm = { title: isNamed ? `${title} ${sensor}` : title, text, subject: { ...subject, sensor } };
        const sms = smsText({ ...alarm, link: { label: 'Ich gehe hin:', url } });
        expect(sizeOfSms(sms).parts).toBeLessThanOrEqual(MAX_SMS_PARTS);
        expect(partsByFormula(sms)).toBeLessThanOrEqual(MAX_SMS_PARTS);
        expect([sms.endsWith(`\n${url}`), sms.isWellFormed()]).toEqual([true, true]);
        const isShortened = !sms.includes('Ich gehe hin:') || sms.includes('...');
        if (isShortened) expect([sms.includes(sensor), sms.includes('Fall detected')]).toEqual([true, true]);
      },
    ),
    { numRuns: 300 },
  );
});
