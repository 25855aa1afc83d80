'use client';
import { Ellipsis, Monitor, Moon, Plus, RefreshCw, Sun, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/ui/button';
import { CopyButton } from '@/ui/copy-button';
import { IconButton } from '@/ui/icon-button';
import { Kbd } from '@/ui/kbd';
import { Menu } from '@/ui/menu';
import { showToast } from '@/ui/toast';
import { Tooltip } from '@/ui/tooltip';
import { KitPart, KitRow } from './kit-part';

export function KitActions() {
  return (
    <>
      <KitPart id="buttons" title="Buttons">
        <KitRow>
          <Button variant="primary">Add cluster</Button>
          <Button>Preview</Button>
          <Button variant="ghost">Cancel</Button>
          <Button variant="danger" icon={<Trash2 size={14} />}>
            Delete policy
          </Button>
          <Button icon={<RefreshCw size={14} />}>Sync now</Button>
        </KitRow>
        <KitRow>
          <Button variant="primary" pending>
            Add cluster
          </Button>
          <Button pending icon={<RefreshCw size={14} />}>
            Sync now
          </Button>
          <Button variant="primary" disabledReason="You need the permission policy:apply">
            Apply policy
          </Button>
          <Button disabledReason="The cluster has never been synced. Sync it first.">Preview</Button>
          <Button variant="ghost" disabledReason="Nothing is selected">
            Remove
          </Button>
          <Button variant="danger" disabledReason="Built-in roles cannot be deleted">
            Delete role
          </Button>
        </KitRow>
        <KitRow>
          <Button size="sm" variant="primary">
            Apply
          </Button>
          <Button size="sm" icon={<Plus size={12} />}>
            Add rule
          </Button>
          <Button size="sm" variant="ghost">
            Clear
          </Button>
          <Button size="sm" pending>
            Retry
          </Button>
          <IconButton label="Sync now" icon={<RefreshCw size={14} />} />
          <IconButton size="sm" variant="secondary" label="Add" icon={<Plus size={14} />} />
          <IconButton
            label="Delete"
            icon={<Trash2 size={14} />}
            disabledReason="The network still has 3 subnets. Delete them first."
          />
          <CopyButton value="AB:CD" label="Copy fingerprint" />
          <Tooltip content="Seen by the agent, not by the hypervisor">
            <Button variant="ghost">Tooltip</Button>
          </Tooltip>
          <span className="flex items-center gap-1">
            <Kbd>Ctrl</Kbd>
            <Kbd>K</Kbd>
          </span>
        </KitRow>
      </KitPart>
      <KitPart id="menus" title="Menus and toasts">
        <KitRow>
          <MenuExample />
          <Button
            onClick={() =>
              showToast('ok', { title: 'Policy applied', description: '12 guests on 2 clusters changed.' })
            }
          >
            Toast: done
          </Button>
          <Button
            onClick={() =>
              showToast('info', {
                title: 'Sync queued',
                action: { label: 'Show run', onClick: () => showToast('info', { title: 'Opened' }) },
              })
            }
          >
            Toast: action
          </Button>
          <Button
            onClick={() =>
              showToast('danger', { title: 'Sync failed', description: 'pve-1 refused the connection on port 8006.' })
            }
          >
            Toast: failed
          </Button>
        </KitRow>
      </KitPart>
    </>
  );
}

function MenuExample() {
  const [vlan, setVlan] = useState(true);
  const [theme, setTheme] = useState('system');
  return (
    <Menu
      trigger={<IconButton variant="secondary" label="More actions" icon={<Ellipsis size={14} />} />}
      entries={[
        {
          id: 'sync',
          label: 'Sync now',
          icon: <RefreshCw />,
          onSelect: () => showToast('info', { title: 'Sync queued' }),
        },
        {
          id: 'apply',
          label: 'Apply policy',
          onSelect: () => undefined,
          disabledReason: 'The policy is in audit mode; switch it to enforced first.',
        },
        { kind: 'separator', id: 's1' },
        { kind: 'check', id: 'vlan', label: 'VLAN', checked: vlan, onCheckedChange: setVlan },
        {
          kind: 'choice',
          id: 'theme',
          label: 'Theme',
          value: theme,
          onValueChange: setTheme,
          options: [
            { value: 'light', label: 'Light', icon: <Sun size={14} /> },
            { value: 'dark', label: 'Dark', icon: <Moon size={14} /> },
            { value: 'system', label: 'System', icon: <Monitor size={14} /> },
          ],
        },
        { kind: 'separator', id: 's2' },
        { id: 'delete', label: 'Delete cluster…', icon: <Trash2 />, tone: 'danger', onSelect: () => undefined },
      ]}
    />
  );
}
