import type { Snapshot } from '../delivery/delivery.ts';
import { noticeOf, type Severity } from './notice.ts';
import { partsOf, withoutLinks } from './plain-text.ts';
import type { Render } from './rendering.ts';
import type { TeamsPayload } from './teams-payload.ts';

const styles = { alarm: 'attention', warning: 'warning', over: 'good', plain: 'accent' } as const satisfies Record<
  Severity,
  string
>;

// TextBlock and FactSet interpret Markdown, and clients differ in how they escape it. RichTextBlock has no markup.
const textOf = (...inlines: TeamsPayload['attachments'][0]['content']['body'][0]['items'][0]['inlines']) => ({
  type: 'RichTextBlock' as const,
  inlines,
});
const run = (text: string) => ({ type: 'TextRun' as const, text: withoutLinks(text) });
const link = (url: string) => ({
  type: 'TextRun' as const,
  text: url,
  selectAction: { type: 'Action.OpenUrl' as const, url },
});

/** Returns a rule's own words as text runs. Snapshots from the previous version contain unmodified names. */
const runsOf = (words: string, { reader }: Snapshot) =>
  reader?.hasPlainNames ? partsOf(words).map(({ text, url }) => (url ? link(url) : run(text))) : [run(words)];

/** Renders the Teams format: a message with one Adaptive Card, in the version supported by all Teams clients. */
export const renderTeams: Render = (snapshot, context) => {
  const { title, message, facts, severity, acknowledge } = noticeOf(snapshot, context);
  const head = textOf(
    ...runsOf(title, snapshot).map((part) => ({ ...part, size: 'large' as const, weight: 'bolder' as const })),
  );
  const lines = facts.map(({ label, value }) => textOf({ ...run(`${label}: `), isSubtle: true }, run(value)));
  const items = [head, textOf(...runsOf(message, snapshot)), ...lines];
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
