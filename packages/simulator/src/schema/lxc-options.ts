import { formats } from './formats';
import { numberedOptions } from './guest-nic';
import type { ParamSpecs } from './param-spec';

const LXC_PLAIN: ParamSpecs = {
  arch: { type: 'string', enum: ['amd64', 'i386', 'arm64', 'armhf', 'riscv32', 'riscv64'] },
  cmode: { type: 'string', enum: ['shell', 'console', 'tty'] },
  console: { type: 'boolean' },
  cores: { type: 'integer', minimum: 1, maximum: 8192 },
  cpulimit: { type: 'number', minimum: 0, maximum: 8192 },
  cpuunits: { type: 'integer', minimum: 0, maximum: 500000 },
  debug: { type: 'boolean' },
  description: { type: 'string', maxLength: 8192 },
  entrypoint: { type: 'string' },
  env: { type: 'string' },
  features: { type: 'string' },
  hookscript: { type: 'string' },
  hostname: { type: 'string', maxLength: 255, format: formats.dnsName },
  lock: {
    type: 'string',
    enum: [
      'backup',
      'create',
      'destroyed',
      'disk',
      'fstrim',
      'migrate',
      'mounted',
      'rollback',
      'snapshot',
      'snapshot-delete',
    ],
  },
  memory: { type: 'integer', minimum: 16 },
  nameserver: { type: 'string' },
  onboot: { type: 'boolean' },
  ostype: {
    type: 'string',
    enum: [
      'debian',
      'devuan',
      'ubuntu',
      'centos',
      'fedora',
      'opensuse',
      'archlinux',
      'alpine',
      'gentoo',
      'nixos',
      'unmanaged',
    ],
  },
  protection: { type: 'boolean' },
  rootfs: { type: 'string' },
  searchdomain: { type: 'string' },
  startup: { type: 'string' },
  swap: { type: 'integer', minimum: 0 },
  tags: { type: 'string', format: formats.tagList },
  template: { type: 'boolean' },
  timezone: { type: 'string' },
  tty: { type: 'integer', minimum: 0, maximum: 6 },
  unprivileged: { type: 'boolean' },
};

/** Numbered options: name without number, how many. */
const LXC_NUMBERED: Record<string, number> = {
  dev: 256,
  mp: 256,
  net: 32,
  unused: 256,
};

/** Every option of a container's configuration, with its type and bounds. */
export const LXC_OPTIONS: ParamSpecs = numberedOptions('lxc', LXC_PLAIN, LXC_NUMBERED);
