/** The states of a delivery. */
export const deliveryStates = ['pending', 'sending', 'delivered', 'retrying', 'held', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** In these it stays until somebody repeats it, or its webhook is enabled. */
export const restingStates = ['delivered', 'held', 'failed'] as const satisfies readonly DeliveryState[];
/** Does nothing happen to it by itself? */
export const isResting = (state: DeliveryState | undefined): boolean =>
  restingStates.some((restingState) => restingState === state);
