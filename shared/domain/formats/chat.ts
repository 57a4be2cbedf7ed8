import type { ChatPayload } from './chat-payload.ts';
import { noticeOf, type Severity } from './notice.ts';
import { withoutMarkup, wordsForChat } from './plain-text.ts';
import type { Render } from './rendering.ts';

const colors: Readonly<Record<Severity, string>> = {
  alarm: '#c92a2a',
  warning: '#e67700',
  over: '#2b8a3e',
  plain: '#1864ab',
};

/**
 * Renders the Chat format: Slack attachments, limited to fields also shown by Mattermost and Rocket.Chat. A link is the
 * only action supported by all three.
 */
export const renderChat: Render = (snapshot, context) => {
  const { title, message, facts, severity, acknowledge } = noticeOf(snapshot, context);
  const color = colors[severity];
  // Snapshots from the previous version contain unmodified names in the title and message.
  const words = snapshot.reader?.hasPlainNames ? wordsForChat : withoutMarkup;
  const text = words(title);
  const fields = facts.map(({ label, value }) => ({ title: label, value: withoutMarkup(value), short: true as const }));
  const attachment = { fallback: text, color, text: words(message), fields };
  const link = acknowledge && {
    fallback: acknowledge.label,
    color,
    title: acknowledge.label,
    title_link: acknowledge.url,
  };
  return JSON.stringify({ text, attachments: [attachment, ...(link ? [link] : [])] } satisfies ChatPayload);
};
