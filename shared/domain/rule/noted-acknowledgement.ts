import type { NotedAcknowledgement } from './acknowledgement-view.ts';

/** Returns an acknowledgement with another note: unchanged if undefined, none if empty. */
export const withNote = (
  { note: before, ...acknowledgement }: NotedAcknowledgement,
  note = before,
): NotedAcknowledgement => ({ ...acknowledgement, ...(note && { note }) });

/**
 * Returns the acknowledgement that follows from a request. The first one remains, but its user may change the note: null if
 * nothing changes.
 */
export const acknowledgedBy = (
  request: NotedAcknowledgement,
  earlier: NotedAcknowledgement | undefined,
): NotedAcknowledgement | null => {
  const { userId, note } = request;
  if (!earlier) return withNote(request);
  if (userId === null || userId !== earlier.userId || note === undefined) return null;
  const next = withNote(earlier, note);
  return next.note === earlier.note ? null : next;
};

/** Whether two acknowledgements are the same; null if nobody has acknowledged. */
export const isSameAcknowledgement = (one: NotedAcknowledgement | null, other: NotedAcknowledgement | null): boolean =>
  one?.userId === other?.userId && one?.name === other?.name && one?.date === other?.date && one?.note === other?.note;
