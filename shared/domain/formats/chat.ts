import type { ChatPayload } from './chat-payload.ts';
import { withoutMarkup } from './harmless.ts';
import { noticeOf, type Severity } from './notice.ts';
import type { Render } from './rendering.ts';

const colors: Readonly<Record<Severity, string>> = {
  alarm: '#c92a2a',
  warning: '#e67700',
  over: '#2b8a3e',
  plain: '#1864ab',
};

/**
 * The format Chat: attachments as Slack made them, of which only those fields are used that Mattermost and Rocket.Chat
 * show too. A link is the one thing to press that all of them have.
 */
export const renderChat: Render = (snapshot, around) => {
  const { title, message, facts, severity, acknowledge } = noticeOf(snapshot, around);
  const color = colors[severity];
  const text = withoutMarkup(title);
  const fields = facts.map(({ label, value }) => ({ title: label, value: withoutMarkup(value), short: true as const }));
  const attachment = { fallback: text, color, text: withoutMarkup(message), fields };
  const toPress = acknowledge && {
    fallback: acknowledge.label,
    color,
    title: acknowledge.label,
    title_link: acknowledge.url,
  };
  return JSON.stringify({ text, attachments: [attachment, ...(toPress ? [toPress] : [])] } satisfies ChatPayload);
};
