const keyOf = (webhookId: string): string => `replay of ${webhookId}`;

/** The replay of a webhook that was started by this browser and not seen to end: whoever left its page finds it again. */
export const lastReplay = (webhookId: string): string | null => localStorage.getItem(keyOf(webhookId));

export const keepReplay = (webhookId: string, replayId: string): void =>
  localStorage.setItem(keyOf(webhookId), replayId);

export const forgetReplay = (webhookId: string): void => localStorage.removeItem(keyOf(webhookId));
