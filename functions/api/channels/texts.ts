import type { Language } from '#shared/domain/identity/locale.ts';

type Values = { service: string; code: string; minutes: number };
type Text = (values: Values) => { title: string; text: string };

/** The letter with the code that proves a channel. Who sends the code back agrees. */
export const codeLetter: Record<Language, Text> = {
  en: ({ service, code, minutes }) => ({
    title: `Your code for ${service}: ${code}`,
    text: `With this code you agree to be told here of alarms. It is good for ${minutes} minutes. If it was not you who asked for it, there is nothing to do.`,
  }),
  de: ({ service, code, minutes }) => ({
    title: `Ihr Code für ${service}: ${code}`,
    text: `Mit diesem Code stimmen Sie zu, hier von Alarmen zu erfahren. Er gilt ${minutes} Minuten. Falls Sie ihn nicht angefordert haben, ist nichts zu tun.`,
  }),
};
