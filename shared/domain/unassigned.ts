/** The customer id of unlinked sensors and of system admins, who have no customer. Ids of customers start at 1. */
export const UNASSIGNED = 0;
