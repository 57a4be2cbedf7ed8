import { withoutLinks } from './harmless.ts';
import { noticeOf, type Severity } from './notice.ts';
import type { Render } from './rendering.ts';
import type { TeamsPayload } from './teams-payload.ts';

const styles = { alarm: 'attention', warning: 'warning', over: 'good', plain: 'accent' } as const satisfies Record<
  Severity,
  string
>;

// Markdown is read in a TextBlock and in a FactSet, and no client escapes it as the others do. A RichTextBlock has none.
const textOf = (...inlines: TeamsPayload['attachments'][0]['content']['body'][0]['items'][0]['inlines']) => ({
  type: 'RichTextBlock' as const,
  inlines,
});
const run = (text: string) => ({ type: 'TextRun' as const, text: withoutLinks(text) });

/** The format Teams: a message with one adaptive card, of the version that all clients of Teams show. */
export const renderTeams: Render = (snapshot, around) => {
  const { title, message, facts, severity, acknowledge } = noticeOf(snapshot, around);
  const head = textOf({ ...run(title), size: 'large', weight: 'bolder' });
  const lines = facts.map(({ label, value }) => textOf({ ...run(`${label}: `), isSubtle: true }, run(value)));
  const items = [head, textOf(run(message)), ...lines];
  return JSON.stringify({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.2',
          body: [{ type: 'Container', style: styles[severity], bleed: true, items }],
          ...(acknowledge && { actions: [{ type: 'Action.OpenUrl', title: acknowledge.label, url: acknowledge.url }] }),
        },
      },
    ],
  } satisfies TeamsPayload);
};
