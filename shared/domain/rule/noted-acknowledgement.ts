import type { Acknowledgement, ClosingUser, FallClosure, NotedAcknowledgement } from './acknowledgement-view.ts';

/** Returns an acknowledgement with a new note. An undefined `note` keeps the old note; an empty `note` removes it. */
const withNote = ({ note: before, ...acknowledgement }: NotedAcknowledgement, note = before): NotedAcknowledgement => ({
  ...acknowledgement,
  ...(note && { note }),
});

/**
 * An acknowledgement in a request. `isShared`: several people share the user account, so `name` identifies the person.
 */
export type RequestedAcknowledgement = NotedAcknowledgement & { isShared?: true };

/** Whether a request comes from the user who acknowledged earlier or, at a display, from the same person. */
export const isSameAuthor = (
  { userId, name, isShared }: RequestedAcknowledgement,
  earlier: NotedAcknowledgement,
): boolean => userId !== null && userId === earlier.userId && (!isShared || name === earlier.name);

/**
 * Returns the acknowledgement after a request; null if nothing changes. The first acknowledgement remains, but its
 * author may change the note.
 */
export const acknowledgedBy = (
  request: RequestedAcknowledgement,
  earlier: NotedAcknowledgement | undefined,
): NotedAcknowledgement | null => {
  const { isShared: _, ...requested } = request;
  const { note } = requested;
  if (!earlier) return withNote(requested);
  if (!isSameAuthor(request, earlier) || note === undefined) return null;
  const next = withNote(earlier, note);
  return next.note === earlier.note ? null : next;
};

const isSame = (one?: Partial<FallClosure>, other?: Partial<FallClosure>): boolean =>
  one?.userId === other?.userId &&
  one?.name === other?.name &&
  one?.date === other?.date &&
  one?.note === other?.note &&
  one?.outcome === other?.outcome;

/**
 * Returns the fall closure after a user's request; null if nothing changes. Any user may change the outcome and note in
 * an earlier closure.
 */
export const closedBy = (
  { outcome, note }: ClosingUser,
  by: Acknowledgement,
  earlier: FallClosure | undefined,
): FallClosure | null => {
  const { note: before, ...first }: Acknowledgement & { note?: string } = earlier ?? by;
  const kept = note ?? before;
  const next = { ...first, outcome, ...(kept && { note: kept }) };
  return earlier && isSame(next, earlier) ? null : next;
};

type Answered = { acknowledgement?: NotedAcknowledgement; closure?: FallClosure };
/** Whether two alarms have the same acknowledgement and their falls have the same closure. */
export const isAnsweredAlike = (one: Answered, other: Answered): boolean =>
  isSame(one.acknowledgement, other.acknowledgement) && isSame(one.closure, other.closure);
