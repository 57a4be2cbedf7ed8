/** A message as a webhook without an address gives it: what would have been posted. */
export type FeedMessage = {
  id: string;
  /** When the delivery was made, ms since the Unix epoch. */
  createDate: number;
  headers: Record<string, string>;
  body: string;
};

type Feed = {
  parameters: {
    query?: { after?: string; limit?: number; wait?: number };
    path: { webhookId: string };
  };
  responses: { 200: { content: { 'application/json': FeedMessage[] } } };
};

/** The call of the feed, as the document does not have it yet. To be deleted when `paths` does. */
export type FeedPaths = { '/webhooks/{webhookId}/feed': { get: Feed } };
