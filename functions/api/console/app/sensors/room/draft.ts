import type { Room, RoomUpdate } from 'openapi';
import { useState } from 'react';
import type { Rect } from './geometry.ts';

export type Region = RoomUpdate['regions'][number];

const fresh = (rect: Rect, name: string): Region => ({
  ...rect,
  name,
  id: crypto.randomUUID(),
  kind: 'default',
  zMin: 0,
  zMax: 120,
  enterDuration: 120,
  exitDuration: 120,
  fallDetectionEnabled: true,
  presenceDetectionEnabled: true,
  isHorizontal: false,
});

/** What is sent to replace the room as it is read. */
const updateOf = ({ sensorId: _, createDate: __, updateDate: ___, rotation: ____, ...room }: Room): RoomUpdate => room;

/** A room that is being changed: null while it is only looked at. `chosen` is the id of the region in hand. */
export const useDraft = (room: Room) => {
  const [draft, setDraft] = useState<RoomUpdate | null>(null);
  const [chosen, choose] = useState<string | null>(null);
  const change = (changes: Partial<RoomUpdate>): void => setDraft((now) => now && { ...now, ...changes });
  const mapRegions = (map: (regions: Region[]) => Region[]): void =>
    setDraft((now) => now && { ...now, regions: map(now.regions) });
  return {
    draft,
    chosen,
    choose,
    begin: () => setDraft(updateOf(room)),
    end: () => {
      setDraft(null);
      choose(null);
    },
    change,
    changeRegion: (id: string, changes: Partial<Region>): void =>
      mapRegions((regions) => regions.map((one) => (one.id === id ? { ...one, ...changes } : one))),
    addRegion: (rect: Rect, name: string): void => {
      const region = fresh(rect, name);
      mapRegions((regions) => [...regions, region]);
      choose(region.id ?? null);
    },
    removeRegion: (id: string): void => {
      mapRegions((regions) => regions.filter((one) => one.id !== id));
      choose(null);
    },
  };
};
export type Draft = ReturnType<typeof useDraft>;
