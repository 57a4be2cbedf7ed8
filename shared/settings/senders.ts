import { type Setting, text } from './setting.ts';

// Kinds of settings that both hosts take about what people are reached by. No function reads them by their kind.

export const mailAddress = text(/^[^\s@]+@[^\s@]+$/, '', 'an e-mail address', 'cloud@example.org');

/** https://core.telegram.org/bots/api#authorizing-your-bot */
export const telegramToken: Setting<string> = {
  ...text(/^\d{1,20}:[\w-]{20,100}$/, '', 'a token of the BotFather of Telegram: digits, a colon, letters'),
  isSecret: true,
};
