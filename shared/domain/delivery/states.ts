/** The states a delivery can be in. */
export const deliveryStates = ['pending', 'sending', 'delivered', 'retrying', 'held', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** States that last until someone resends the delivery or enables the webhook. */
export const restingStates = ['delivered', 'held', 'failed'] as const satisfies readonly DeliveryState[];
/** Whether a delivery stays in this state until someone acts. */
export const isResting = (state: DeliveryState | undefined): boolean =>
  restingStates.some((restingState) => restingState === state);
