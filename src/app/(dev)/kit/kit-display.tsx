'use client';
import { useState } from 'react';
import { Avatar } from '@/ui/avatar';
import { Button } from '@/ui/button';
import { Checkbox } from '@/ui/checkbox';
import { Meter } from '@/ui/meter';
import { Mono } from '@/ui/mono';
import { NumberInput } from '@/ui/number-input';
import { Progress } from '@/ui/progress';
import { Properties } from '@/ui/properties';
import { RelativeTime } from '@/ui/relative-time';
import { Section } from '@/ui/section';
import { SegmentedControl } from '@/ui/segmented-control';
import { Select } from '@/ui/select';
import { Skeleton } from '@/ui/skeleton';
import { Sparkline } from '@/ui/sparkline';
import { Stages } from '@/ui/stages';
import { Status } from '@/ui/status';
import { Stepper } from '@/ui/stepper';
import { Switch } from '@/ui/switch';
import { Tabs } from '@/ui/tabs';
import { KitPart, KitRow } from './kit-part';

const COURSE = [1, 3, 2, 5, 8, 6, 9, 4, 3, null, null, 4, 7, 6, 9, 12, 9, 10];

export function KitDisplay() {
  const [tab, setTab] = useState('overview');
  const [mode, setMode] = useState('all');
  const [on, setOn] = useState(true);
  const [count, setCount] = useState<number | null>(24);
  return (
    <>
      <KitPart id="choices" title="Bare controls">
        <KitRow>
          <span className="flex items-center gap-2">
            <Checkbox aria-label="Checked" defaultChecked />
            <Checkbox aria-label="Unchecked" />
            <Checkbox aria-label="Some" indeterminate />
            <Checkbox aria-label="Disabled" disabled />
            <Checkbox aria-label="Disabled and checked" disabled defaultChecked />
          </span>
          <span className="flex items-center gap-2">
            <Switch aria-label="Automatic sync" checked={on} onCheckedChange={setOn} />
            <Switch aria-label="Off" checked={false} />
            <Switch aria-label="Disabled" disabled />
          </span>
          <SegmentedControl
            label="Traffic"
            value={mode}
            onValueChange={setMode}
            options={['all', 'inbound', 'outbound', 'denied'].map((value) => ({ value, label: value }))}
          />
          <span className="w-40">
            <NumberInput aria-label="Hours" value={count} onValueChange={setCount} min={1} max={8760} unit="h" />
          </span>
          <Select
            aria-label="Traffic mode"
            className="!w-40"
            value={mode}
            onValueChange={setMode}
            options={['all', 'inbound', 'outbound', 'denied'].map((value) => ({ value, label: value }))}
          />
        </KitRow>
      </KitPart>
      <KitPart id="progress" title="Progress">
        <div className="grid gap-6 md:grid-cols-2">
          <div className="flex flex-col gap-3">
            <Progress label="Reading guests" done={1240} total={4312} />
            <Progress label="Connecting" done={null} total={null} />
            <Progress label="Applied" done={12} total={12} tone="ok" />
            <Progress label="Stopped at guest 7" done={7} total={12} tone="danger" />
          </div>
          <Stages
            label="Sync of prod-eu"
            stages={[
              { id: 'connect', label: 'Connect', state: 'done', detail: 'Proxmox VE 9.1.2' },
              { id: 'nodes', label: 'Nodes', state: 'warned', detail: '3 of 4 nodes answered; pve-4 is offline.' },
              { id: 'guests', label: 'Guests', state: 'running', detail: '42 seen', done: 42, total: 120 },
              { id: 'networks', label: 'Networks', state: 'failed', detail: 'Permission SDN.Audit is missing.' },
              { id: 'addresses', label: 'Addresses', state: 'waiting' },
              { id: 'cleanup', label: 'Clean up', state: 'skipped', detail: 'Only after a complete read.' },
            ]}
          />
        </div>
        <Stepper
          label="Setup"
          current="sync"
          steps={[
            { id: 'admin', label: 'Administrator' },
            { id: 'cluster', label: 'Cluster' },
            { id: 'sync', label: 'First sync' },
            { id: 'agents', label: 'Agents' },
          ]}
        >
          <KitRow>
            <Button variant="primary">Continue</Button>
          </KitRow>
        </Stepper>
      </KitPart>
      <KitPart id="display" title="Properties, figures, tabs">
        <div className="grid gap-4 md:grid-cols-2">
          <Section title="Cluster">
            <Properties
              items={[
                { label: 'Name', value: 'prod-eu' },
                { label: 'API address', value: <Mono wrap>https://pve-1.example.net:8006</Mono> },
                { label: 'Firewall', value: <Status tone="unknown">Unknown</Status>, hint: 'The node did not answer.' },
                { label: 'Last sync', value: <RelativeTime at="2026-11-21T03:06:12Z" /> },
                { label: 'Never synced', value: <RelativeTime at={null} none="Never" /> },
                { label: 'Note', value: null },
                {
                  label: 'Owner',
                  value: (
                    <span className="flex items-center gap-2">
                      <Avatar name="Ada Lovelace" email="" /> Ada Lovelace
                    </span>
                  ),
                },
              ]}
            />
          </Section>
          <Section title="Figures">
            <div className="flex flex-col gap-3">
              <Meter label="Addresses used" share={0.42} text="107 of 254" />
              <Meter label="Memory" share={0.83} warnAt={0.8} dangerAt={0.95} />
              <Meter label="Storage" share={0.97} warnAt={0.8} dangerAt={0.95} />
              <Meter label="Swap" share={null} />
              <Sparkline values={COURSE} label="Traffic of the last hour, with a gap" />
              <Skeleton />
            </div>
          </Section>
        </div>
        <Tabs
          label="Parts of the cluster"
          value={tab}
          onValueChange={setTab}
          tabs={[
            { value: 'overview', label: 'Overview', content: <p>Overview of the cluster.</p> },
            { value: 'nodes', label: 'Nodes', count: 4, content: <p>Nodes of the cluster.</p> },
            { value: 'runs', label: 'Sync runs', count: 128, content: <p>Runs of the cluster.</p> },
          ]}
        />
      </KitPart>
    </>
  );
}
