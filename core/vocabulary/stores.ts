/** The stores of a game in one environment. A process without the key for secrets skips the document. */
export interface StoresDocument {
  /** Absent: the App Store is not set up. */
  apple?: AppleSettings;
  /** Absent: Google Play is not set up. */
  google?: GoogleSettings;
  updatedAt: number;
  version: number;
}

export interface AppleSettings {
  bundleId: string;
  /** The app's number in the App Store, by which notifications of the live environment are checked. */
  appAppleId: number | null;
}

export interface GoogleSettings {
  packageName: string;
  /** The service account that may read purchases. */
  clientEmail: string;
  /** Its key, PEM. */
  privateKey: string;
  /** What the tokens of Pub/Sub say with which it sends notifications; `null`: none are taken. */
  pushAudience: string | null;
  pushEmail: string | null;
}
