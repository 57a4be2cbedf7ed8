/** The customer id for unlinked sensors, and for system admins, who have no customer. Customer ids start at 1. */
export const UNASSIGNED = 0;
