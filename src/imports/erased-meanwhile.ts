/** A plate was erased after a batch was read: its lines have to be judged again. Nothing of it was stored. */
export class ErasedMeanwhile extends Error {}
