import { Button, Fieldset, Group, NumberInput, Stack, Text } from '@mantine/core';
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { faultOf, ok } from '#lib/client/problem.ts';
import type { FloorPlan, PlannedRoom } from '#openapi';
import { api } from '../api/client.ts';
import { useWrite } from '../api/write.ts';
import { shortName } from '../overview/room-name.ts';
import { useDates, useTexts } from '../texts/texts.tsx';
import { boxOf, type Extent, USUAL_ROOM, withRoom, withRoomAt, withTurnedRoom } from './geometry.ts';
import { planQuery } from './queries.ts';
import { labelStyle, Walls } from './room-cell.tsx';
import { useFloorTexts } from './texts.ts';

/** How far (m) an arrow key moves a room. */
const STEP = 0.5;
const arrows: Readonly<Record<string, readonly [dx: number, dy: number]>> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};

const without = (plan: FloorPlan, sensorId: string): FloorPlan => ({
  ...plan,
  rooms: plan.rooms.filter((room) => room.sensorId !== sensorId),
});

type PlanProps = {
  plan: FloorPlan;
  extents: ReadonlyMap<string, Extent>;
  nameOf: (sensorId: string) => string;
  selected: string | null;
  onSelect: (sensorId: string | null) => void;
  onChange: (plan: FloorPlan) => void;
  label: string;
};

/** Returns handlers for dragging rooms on the plan. */
const useDrag = ({ plan, onSelect, onChange }: PlanProps) => {
  const drag = useRef<{ sensorId: string; dx: number; dy: number }>(null);
  const metersAt = ({ currentTarget, clientX, clientY }: PointerEvent<HTMLElement>) => {
    const { left, top, width, height } = currentTarget.getBoundingClientRect();
    return { x: ((clientX - left) / width) * plan.width, y: ((clientY - top) / height) * plan.height };
  };
  const end = () => {
    drag.current = null;
  };
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      const sensorId =
        event.target instanceof Element && event.target.closest<HTMLElement>('[data-room]')?.dataset.room;
      const room = plan.rooms.find((one) => one.sensorId === sensorId);
      if (!room) return;
      const { x, y } = metersAt(event);
      drag.current = { sensorId: room.sensorId, dx: room.x - x, dy: room.y - y };
      onSelect(room.sensorId);
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (!drag.current) return;
      const { sensorId, dx, dy } = drag.current;
      const { x, y } = metersAt(event);
      onChange(withRoomAt(plan, sensorId, x + dx, y + dy));
    },
    onPointerUp: end,
    onPointerCancel: end,
  };
};

/** The plan while it is being arranged: rooms are buttons that can be moved by dragging or with keys. */
const EditedPlan = (props: PlanProps) => {
  const { plan, extents, nameOf, selected, onSelect, onChange, label } = props;
  const texts = useFloorTexts();
  const dates = useDates();
  const press = (event: KeyboardEvent, { sensorId, x, y }: PlannedRoom) => {
    const move = arrows[event.key];
    if (move) onChange(withRoomAt(plan, sensorId, x + move[0], y + move[1]));
    else if (event.key.toLowerCase() === 'r') onChange(withTurnedRoom(plan, sensorId));
    else if (event.key === 'Delete') onChange(without(plan, sensorId));
    else return;
    event.preventDefault();
  };
  return (
    <div className="floor-scroll">
      <div
        className="floor editing"
        role="group"
        aria-label={label}
        style={{ aspectRatio: `${plan.width} / ${plan.height}`, minWidth: `${plan.width * 0.75}rem` }}
        {...useDrag(props)}
      >
        {plan.rooms.map((room) => {
          const box = boxOf(room, extents.get(room.sensorId) ?? USUAL_ROOM);
          const name = nameOf(room.sensorId);
          return (
            <div key={room.sensorId} data-room={room.sensorId}>
              <Walls box={box} plan={plan} className={room.sensorId === selected ? 'selected' : ''} />
              <button
                type="button"
                className="floor-room"
                style={labelStyle(box, plan)}
                aria-pressed={room.sensorId === selected}
                aria-description={texts.at(dates.number(room.x), dates.number(room.y))}
                onFocus={() => onSelect(room.sensorId)}
                onKeyDown={(event) => press(event, room)}
              >
                <bdi className="floor-number">{shortName(name)}</bdi>
              </button>
            </div>
          );
        })}
      </div>
    </div>
  );
};

type NumberProps = {
  label: string;
  value: number;
  max: number;
  error: string | undefined;
  onChange: (value: number) => void;
};
const NumberField = ({ label, value, max, error, onChange }: NumberProps) => (
  <NumberInput
    label={label}
    value={value}
    min={0}
    max={max}
    step={STEP}
    decimalScale={2}
    error={error}
    onChange={(next) => onChange(Number(next))}
  />
);

/** The longest side (m) a plan can have. */
const MAX_SIDE = 1_000;

type FieldsProps = Omit<PlanProps, 'label' | 'extents'> & { error: unknown };

/** Fields for the selected room. */
const RoomFields = ({ plan, nameOf, selected, onSelect, onChange, error }: FieldsProps) => {
  const texts = useFloorTexts();
  const at = plan.rooms.findIndex(({ sensorId }) => sensorId === selected);
  const room = plan.rooms[at];
  if (!room) return null;
  const change = (part: Partial<PlannedRoom>) =>
    onChange({ ...plan, rooms: plan.rooms.map((one, index) => (index === at ? { ...one, ...part } : one)) });
  const field = (name: 'x' | 'y' | 'rotation', max: number) => (
    <NumberField
      label={texts[name]}
      value={room[name]}
      max={max}
      error={faultOf(error, `rooms.${at}.${name}`)}
      onChange={(value) => change({ [name]: value })}
    />
  );
  return (
    <Fieldset legend={`${texts.room}: ${nameOf(room.sensorId)}`}>
      <Stack gap="xs">
        {field('x', plan.width)}
        {field('y', plan.height)}
        {field('rotation', 360)}
        <Group gap="xs">
          <Button variant="default" size="xs" onClick={() => onChange(withTurnedRoom(plan, room.sensorId))}>
            {texts.turn}
          </Button>
          <Button
            variant="default"
            size="xs"
            onClick={() => {
              onSelect(null);
              onChange(without(plan, room.sensorId));
            }}
          >
            {texts.takeOff}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  );
};

type UnplacedProps = Pick<FieldsProps, 'plan' | 'nameOf' | 'onSelect' | 'onChange'> & { members: readonly string[] };

/** The rooms in the group that are missing from the plan. */
const Unplaced = ({ plan, nameOf, onSelect, onChange, members }: UnplacedProps) => {
  const texts = useFloorTexts();
  const off = members.filter((sensorId) => !plan.rooms.some((room) => room.sensorId === sensorId));
  const place = (sensorId: string) => {
    onChange(withRoom(plan, sensorId));
    onSelect(sensorId);
  };
  return (
    <Fieldset legend={texts.off}>
      {off.length === 0 && <Text size="sm">{members.length === 0 ? texts.noMembers : texts.allOn}</Text>}
      <Group gap="xs">
        {off.length > 1 && (
          <Button size="xs" onClick={() => onChange(off.reduce(withRoom, plan))}>
            {texts.placeAll}
          </Button>
        )}
        {off.map((sensorId) => (
          <Button key={sensorId} variant="default" size="xs" onClick={() => place(sensorId)}>
            {texts.place(nameOf(sensorId))}
          </Button>
        ))}
      </Group>
    </Fieldset>
  );
};

type ArrangeProps = {
  groupId: number;
  plan: FloorPlan;
  members: readonly string[];
  extents: ReadonlyMap<string, Extent>;
  nameOf: (sensorId: string) => string;
  label: string;
  onEnd: () => void;
};

/** Lets the user arrange a group's rooms on the plan: by dragging, with the keyboard, or by entering numbers. */
export const Arrange = ({ groupId, plan, members, extents, nameOf, label, onEnd }: ArrangeProps) => {
  const texts = useFloorTexts();
  const { failed } = useTexts();
  const [draft, setDraft] = useState(plan);
  const [selected, select] = useState<string | null>(null);
  const save = useWrite({
    send: () => ok(api.PUT('/sensor-groups/{groupId}/plan', { params: { path: { groupId } }, body: draft })),
    done: texts.saved,
    refresh: [planQuery(groupId).queryKey],
    onDone: onEnd,
  });
  const common = { plan: draft, nameOf, selected, onSelect: select, onChange: setDraft };
  const side = (name: 'width' | 'height') => (
    <NumberField
      label={texts[name]}
      value={draft[name]}
      max={MAX_SIDE}
      error={faultOf(save.error, name)}
      onChange={(value) => setDraft({ ...draft, [name]: value })}
    />
  );
  return (
    <Stack>
      <Text size="sm">{texts.hint}</Text>
      <EditedPlan {...common} extents={extents} label={label} />
      {save.error && (
        <Text role="alert" size="sm">
          {failed}
        </Text>
      )}
      <div className="cards">
        <Fieldset legend={texts.size}>
          <div className="pair">
            {side('width')}
            {side('height')}
          </div>
        </Fieldset>
        <RoomFields {...common} error={save.error} />
        <Unplaced {...common} members={members} />
      </div>
      <Group>
        <Button loading={save.isPending} onClick={() => save.mutate()}>
          {texts.save}
        </Button>
        <Button variant="default" onClick={onEnd}>
          {texts.discard}
        </Button>
      </Group>
    </Stack>
  );
};
