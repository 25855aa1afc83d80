import type { GuestType } from '../schema/guest-nic';

const QEMU: [RegExp, string][] = [
  [/^(net\d+|nameserver|searchdomain)$/, 'VM.Config.Network'],
  [/^ipconfig\d+$/, 'VM.Config.Network'],
  [/^(ciuser|cipassword|sshkeys|citype|ciupgrade|cicustom)$/, 'VM.Config.Cloudinit'],
  [/^(cores|sockets|cpu|cpulimit|cpuunits|numa|numa\d+|vcpus|affinity|smp)$/, 'VM.Config.CPU'],
  [/^(memory|balloon|shares|hugepages|keephugepages|allow-ksm)$/, 'VM.Config.Memory'],
  [/^cdrom$/, 'VM.Config.CDROM'],
  [/^((ide|sata|scsi|virtio|unused)\d+|efidisk0|tpmstate0|bootdisk|boot)$/, 'VM.Config.Disk'],
  [
    /^(acpi|arch|bios|kvm|machine|scsihw|tablet|vga|watchdog|rng0|audio0|usb\d+|serial\d+|parallel\d+|smbios1|vmgenid)$/,
    'VM.Config.HWType',
  ],
  [/^(lock|args|hookscript|hostpci\d+|ivshmem)$/, 'root'],
];

const LXC: [RegExp, string][] = [
  [/^(net\d+|nameserver|searchdomain|hostname)$/, 'VM.Config.Network'],
  [/^(cores|cpulimit|cpuunits)$/, 'VM.Config.CPU'],
  [/^(memory|swap)$/, 'VM.Config.Memory'],
  [/^(rootfs|(mp|unused)\d+)$/, 'VM.Config.Disk'],
  [/^(lock|hookscript|features|unprivileged|dev\d+)$/, 'root'],
];

/** Privilege a caller needs on the guest to change an option; `root` when no token may. */
export const requiredPrivilege = (type: GuestType, option: string): string =>
  (type === 'qemu' ? QEMU : LXC).find(([regex]) => regex.test(option))?.[1] ?? 'VM.Config.Options';
