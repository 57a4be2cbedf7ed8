/** The maximum number of sensors with open falls, and of hits, sent to a station. */
export const MAX_STATION_SENSORS = 200;
export const MAX_STATION_HITS = 10;
