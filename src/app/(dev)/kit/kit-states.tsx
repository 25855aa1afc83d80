'use client';
import { Plus, Server } from 'lucide-react';
import { Badge } from '@/ui/badge';
import { Button } from '@/ui/button';
import { CodeBlock } from '@/ui/code-block';
import { EmptyState } from '@/ui/empty-state';
import { ErrorState } from '@/ui/error-state';
import { Notice } from '@/ui/notice';
import { Section } from '@/ui/section';
import { Spinner } from '@/ui/spinner';
import { Status } from '@/ui/status';
import type { Tone } from '@/ui/tone';
import { KitPart, KitRow } from './kit-part';

const WORDS: Record<Tone, string> = {
  neutral: 'Queued',
  ok: 'Active',
  warn: 'Partial',
  danger: 'Failed',
  info: 'Running',
  off: 'Off',
  unknown: 'Unknown',
};
const TONES = Object.keys(WORDS) as Tone[];

export function KitStates() {
  return (
    <>
      <KitPart id="states" title="Badges and states">
        <KitRow>
          {TONES.map((tone) => (
            <Badge key={tone} tone={tone}>
              {WORDS[tone]}
            </Badge>
          ))}
        </KitRow>
        <KitRow>
          {TONES.map((tone) => (
            <Status key={tone} tone={tone} pulse={tone === 'info'}>
              {WORDS[tone]}
            </Status>
          ))}
          <Spinner label="Loading" />
        </KitRow>
      </KitPart>
      <KitPart id="notices" title="Notices, empty and failed">
        <div className="grid gap-3 md:grid-cols-2">
          <Notice title="Two nodes run without an agent">Their flows are not seen. Install agents to see them.</Notice>
          <Notice tone="ok" title="Connected">
            Proxmox VE 9.1.2, 4 nodes, quorate.
          </Notice>
          <Notice
            tone="warn"
            title="The certificate is self-signed"
            action={<Button size="sm">Pin certificate</Button>}
          >
            Compare the fingerprint with the one the node shows.
          </Notice>
          <Notice tone="danger" title="The API token lacks VM.Config.Network">
            Rules can be read but not written. Add the privilege to the role of the token.
          </Notice>
        </div>
        <div className="grid gap-3 md:grid-cols-2">
          <Section bare>
            <div className="rounded-lg border bg-surface">
              <EmptyState
                icon={<Server />}
                title="No clusters yet"
                action={
                  <Button variant="primary" icon={<Plus size={14} />}>
                    Add cluster
                  </Button>
                }
              >
                Add a Proxmox VE cluster to read its nodes, guests and networks.
              </EmptyState>
            </div>
          </Section>
          <Section bare>
            <div className="rounded-lg border bg-surface">
              <ErrorState
                problem={{
                  title: 'The provider does not answer',
                  detail: 'pve-1.example.net:8006 timed out after 10 s. Check that the node is up.',
                  request_id: '019ab3c4-77aa-7def-8123-5b2fd60e7c11',
                }}
                onRetry={() => undefined}
              />
            </div>
          </Section>
        </div>
        <CodeBlock
          label="Install command"
          code="curl -fsSL https://fabric.example.net/api/v1/agents/install.sh | sh -s -- --token ENROL-7Q4X"
        />
      </KitPart>
    </>
  );
}
