import type { Language } from '#shared/domain/identity/language.ts';

/** The names of a sensor's entities in Home Assistant. */
export type EntityTexts = {
  fall: string;
  occupancy: string;
  bed: string;
  connectivity: string;
  respiration: string;
  heartRate: string;
  watched: string;
  acknowledge: string;
  /** Units for the rates. */
  breaths: string;
  beats: string;
};

export const entityTexts: Record<Language, EntityTexts> = {
  en: {
    fall: 'Fall',
    occupancy: 'Occupancy',
    bed: 'Bed',
    connectivity: 'Connection',
    respiration: 'Respiration',
    heartRate: 'Heart rate',
    watched: 'Falls are watched',
    acknowledge: 'Acknowledge fall',
    breaths: 'breaths/min',
    beats: 'bpm',
  },
  de: {
    fall: 'Sturz',
    occupancy: 'Anwesenheit',
    bed: 'Bett',
    connectivity: 'Verbindung',
    respiration: 'Atmung',
    heartRate: 'Herzfrequenz',
    watched: 'Stürze werden überwacht',
    acknowledge: 'Sturz übernehmen',
    breaths: 'Atemzüge/min',
    beats: 'Schläge/min',
  },
};
