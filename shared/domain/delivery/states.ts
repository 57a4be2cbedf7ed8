/** The states of a delivery. */
export const deliveryStates = ['pending', 'sending', 'delivered', 'retrying', 'held', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** The states that last until somebody resends the delivery or enables its webhook. */
export const restingStates = ['delivered', 'held', 'failed'] as const satisfies readonly DeliveryState[];
/** Whether a delivery stays in this state until somebody acts. */
export const isResting = (state: DeliveryState | undefined): boolean =>
  restingStates.some((restingState) => restingState === state);
