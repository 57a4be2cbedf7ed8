/** The maximum number of sensors with open falls, and of hits, that a station receives. */
export const MAX_STATION_SENSORS = 200;
export const MAX_STATION_HITS = 10;
