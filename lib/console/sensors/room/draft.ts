import { useState } from 'react';
import type { Room, RoomUpdate } from '#openapi';
import type { Rect } from './geometry.ts';

export type Region = RoomUpdate['regions'][number];

/**
 * Returns a random UUID. `crypto.randomUUID` is missing on pages loaded over plain HTTP, for example on a local
 * network.
 */
const randomId = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
};

const newRegion = (rect: Rect, name: string): Region => ({
  ...rect,
  name,
  id: randomId(),
  kind: 'default',
  zMin: 0,
  zMax: 120,
  enterDuration: 120,
  exitDuration: 120,
  fallDetectionEnabled: true,
  presenceDetectionEnabled: true,
  isHorizontal: false,
});

/** Returns the request body that replaces a room, leaving out the read-only fields. */
const updateOf = ({ sensorId: _, createDate: __, updateDate: ___, rotation: ____, ...room }: Room): RoomUpdate => room;

/** The room editor state. `draft` is null while the room is not being edited; `selected` is a region id. */
export const useDraft = (room: Room) => {
  const [draft, setDraft] = useState<RoomUpdate | null>(null);
  const [selected, select] = useState<string | null>(null);
  const change = (changes: Partial<RoomUpdate>): void => setDraft((now) => now && { ...now, ...changes });
  const mapRegions = (map: (regions: Region[]) => Region[]): void =>
    setDraft((now) => now && { ...now, regions: map(now.regions) });
  return {
    draft,
    selected,
    select,
    begin: () => setDraft(updateOf(room)),
    end: () => {
      setDraft(null);
      select(null);
    },
    change,
    changeRegion: (id: string, changes: Partial<Region>): void =>
      mapRegions((regions) => regions.map((region) => (region.id === id ? { ...region, ...changes } : region))),
    addRegion: (rect: Rect, name: string): void => {
      const region = newRegion(rect, name);
      mapRegions((regions) => [...regions, region]);
      select(region.id ?? null);
    },
    removeRegion: (id: string): void => {
      mapRegions((regions) => regions.filter((region) => region.id !== id));
      select(null);
    },
  };
};
export type Draft = ReturnType<typeof useDraft>;
