/** The customer of what has none: of sensors that nobody has linked, and of system admins. Ids of customers begin with 1. */
export const UNASSIGNED = 0;
