import type { Text } from '../../base/text/text.ts';
import type { PartOrder } from '../../domain/restore-order.ts';

export const UNKNOWN_TENANT: Text = {
  en: 'is not a known tenant: put its configuration first',
  it: 'non è un ente conosciuto: inviarne prima la configurazione',
};
export const OTHERS: Text = {
  en: 'the municipality is another tenant’s',
  it: 'il comune è di un altro ente',
};
export const OF_ANOTHER: Text = {
  en: 'this is a backup of another municipality',
  it: 'questa è la copia di sicurezza di un altro comune',
};
export const TOO_OLD = (days: number): Text => ({
  en: `the backup is older than ${days} days: what was erased since is not known any more`,
  it: `la copia ha più di ${days} giorni: non è più noto che cosa sia stato cancellato da allora`,
});
export const BACKUP_DAMAGED: Text = {
  en: 'the rows of this part do not belong together: take the backup again',
  it: 'le righe di questa parte non sono coerenti: creare di nuovo la copia',
};
export const IN_ANOTHER = (to: string): Text => ({
  en: `The municipality is being restored to the database ${to}: go on there, or throw that away.`,
  it: `Il ripristino del comune è in corso nella base dati ${to}: proseguire lì o eliminarlo.`,
});

export const BEING_RESTORED = (to: string): Text => ({
  en: `The municipality is being restored to the database ${to}: finish that first, or throw it away.`,
  it: `Il ripristino del comune è in corso nella base dati ${to}: completarlo o eliminarlo prima.`,
});
export const DATABASE_WENT_BACK: Text = {
  en: 'The database was put back to an earlier time since the part before: throw the parts away, and begin the backup again.',
  it: 'La base dati è stata riportata a un momento precedente dopo l’ultima parte: eliminare le parti e ricominciare la copia.',
};

/** Why a part is not taken. */
export const NOT_NEXT: Record<Exclude<PartOrder, 'take' | 'taken' | 'whole'>, Text> = {
  not_begun: {
    en: 'No restore of this municipality is under way: begin with the first part of the backup.',
    it: 'Nessun ripristino di questo comune è in corso: cominciare dalla prima parte della copia.',
  },
  other_backup: {
    en: 'Another backup of this municipality is being restored: go on with it, or throw that restore away.',
    it: 'È in corso il ripristino di un’altra copia di questo comune: proseguire con quella o eliminare il ripristino.',
  },
  not_next: {
    en: 'This is not the next part of the backup: send the parts in order, one at a time.',
    it: 'Non è la parte successiva della copia: inviare le parti in ordine, una alla volta.',
  },
  not_the_same: {
    en: 'Some of this part is restored already, from a part that was not the same: send that one again.',
    it: 'Una parte diversa con lo stesso numero è già stata ripristinata a metà: inviare di nuovo quella.',
  },
};
