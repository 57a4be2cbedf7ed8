import type { Language } from '#shared/domain/identity/language.ts';

type CodeDetails = { service: string; code: string; minutes: number };
type CodeText = (details: CodeDetails) => { title: string; text: string };

/** The message with a channel verification code. Entering the code is consent to notifications. */
export const codeMessage: Record<Language, CodeText> = {
  en: ({ service, code, minutes }) => ({
    title: `Your code for ${service}: ${code}`,
    text: `By entering this code you agree to receive alarms here. The code expires in ${minutes} minutes. If you did not request it, ignore this message.`,
  }),
  de: ({ service, code, minutes }) => ({
    title: `Ihr Code für ${service}: ${code}`,
    text: `Mit diesem Code stimmen Sie zu, hier Alarme zu erhalten. Er ist ${minutes} Minuten gültig. Falls Sie ihn nicht angefordert haben, ignorieren Sie diese Nachricht.`,
  }),
};
