import { type Language, languageOf } from '#shared/domain/identity/language.ts';

export type Texts = {
  language: Language;
  name: string;
  acknowledge: string;
  fall: string;
  nobody: string;
  mine: string;
  /** `name` is empty if it must stay hidden. */
  theirs: (name: string) => string;
  since: (time: string) => string;
  noFurtherStep: string;
  handBack: string;
  handBackHint: string;
  handedBack: string;
  alsoNotified: (who: string) => string;
  recipients: (count: number) => string;
  nobodyElse: string;
  nextStep: (time: string) => string;
  noRefresh: string;
  checkAgain: string;
  inConsole: string;
  justNow: string;
  timeIn: (city: string) => string;
};

const textsByLanguage: Readonly<Record<Language, Texts>> = {
  en: {
    language: 'en',
    name: 'Your name',
    acknowledge: "I'm on it",
    fall: 'Fall',
    nobody: 'Nobody is on it',
    mine: "You're on it",
    theirs: (name) => `${name || 'Somebody'} is on it`,
    since: (time) => `since ${time}`,
    noFurtherStep: 'Everybody sees it, and no further step is sent.',
    handBack: "I can't go after all",
    handBackHint: 'This opens the alarm for everybody again.',
    handedBack: 'You handed the alarm back.',
    alsoNotified: (who) => `Also notified: ${who}.`,
    recipients: (count) => (count === 1 ? '1 other recipient' : `${count} other recipients`),
    nobodyElse: 'Nobody else has been notified.',
    nextStep: (time) => `Next step at ${time}.`,
    noRefresh: "This page doesn't refresh automatically.",
    checkAgain: 'Check again',
    inConsole: 'Open in the console',
    justNow: 'just now',
    timeIn: (city) => `${city} time`,
  },
  de: {
    language: 'de',
    name: 'Ihr Name',
    acknowledge: 'Ich gehe hin',
    fall: 'Sturz',
    nobody: 'Niemand geht hin',
    mine: 'Sie gehen hin',
    theirs: (name) => `${name || 'Jemand'} geht hin`,
    since: (time) => `seit ${time}`,
    noFurtherStep: 'Alle sehen es, und es folgt keine weitere Stufe.',
    handBack: 'Ich kann doch nicht hingehen',
    handBackHint: 'Damit ist der Alarm wieder für alle offen.',
    handedBack: 'Sie haben den Alarm zurückgegeben.',
    alsoNotified: (who) => `Auch benachrichtigt: ${who}.`,
    recipients: (count) => (count === 1 ? '1 weiterer Empfänger' : `${count} weitere Empfänger`),
    nobodyElse: 'Sonst wurde niemand benachrichtigt.',
    nextStep: (time) => `Nächste Stufe um ${time}.`,
    noRefresh: 'Diese Seite aktualisiert sich nicht von selbst.',
    checkAgain: 'Erneut prüfen',
    inConsole: 'In der Konsole öffnen',
    justNow: 'gerade eben',
    timeIn: (city) => `Ortszeit ${city}`,
  },
};

/** Returns the page texts for a locale. */
export const textsOf = (locale: string): Texts => textsByLanguage[languageOf(locale)];
