import { describe, expect, it } from 'vitest';
import { cityHash128 } from './city-hash.ts';

describe('the checksum of compressed blocks', () => {
  // Computed with ClickHouseCityHash.java of ClickHouse's Java client.
  it.each([
    [0, '2b9ac064fc9df03d291ee592c340b53c'],
    [1, '8feba5f50dd9c468e6dc55c490d34ebe'],
    [2, '8821be4d08eb9fa9d23de184fd9e931d'],
    [3, 'afb640c7073fe233f75ca7cf2a62d4b8'],
    [4, 'a9c7e9d3e900d08b419ebb402bd9bdae'],
    [7, 'b497d6a088e7ff34f5a8ed921d147a87'],
    [8, 'ebb228f82a387e2f46c7b2125051d48d'],
    [9, '6f90923f41b4cd6b60df21dcbd931c9b'],
    [15, '7ad69802c6844fe9aef03a18812cde4b'],
    [16, '777d6638edf91b56011d48eaa6c8537d'],
    [17, '815ef0eb311e3888004da96178f6c166'],
    [24, 'a195b4aff1ccd888da442e621e6c055e'],
    [31, '616904f287aea1bdb386b9e6912dbfaf'],
    [32, 'bf1cb97fcf77e5d092298e5decaefd8c'],
    [33, '37af7487e77d2651b166f2401dc43ed4'],
    [40, '2572cd8686021313fd8178d3e9534a55'],
    [47, '6d0b1007e1ff8299da6887940841268b'],
    [100, 'f4153245761dd4599b9dcad01e684846'],
    [143, '5ed3e617f1f0bf62aa03b6019543432a'],
    [144, 'f556b5dfc0f01f85d9c59dc3a83e361b'],
    [145, 'a535bbcb1e2dee79dab09ee5db93cc7e'],
    [159, 'd95959903a4033a42d0414b8ad4204ab'],
    [160, '76e8a77d1c36b7023808da863aee76b1'],
    [161, 'aa7f9a4920dab614cf717c390f253c8f'],
    [200, 'f626af8e574b32361b88527737f53e41'],
    [272, 'b80fb5aadf75d36de30c18c4b44277f0'],
    [273, '0f572f66bbaf002665199f0144781773'],
    [400, '5752ae2e7c718c28899550e65a4721dc'],
    [1000, 'e84f6926dac2fcf10b8928a30b35380c'],
    [4096, '6006f5da093a4fc3fcd89a922d192635'],
  ])('of %i bytes is the one that the Java client computes', (size, hash) => {
    const bytes = Buffer.from(Array.from({ length: size }, (_, i) => (i * i * 7 + i * 31 + 11) & 255));
    expect(cityHash128(bytes).toString('hex')).toBe(hash);
  });
});
