//! A whole file: the elements, both message integrity checks (MIC), the end marker, padding.

use md5::{Digest, Md5};

use crate::hmac::hmac_md5;
use crate::tlv::{CM_MIC, CMTS_MIC, END, PAD, Tlv};

/// The elements that the CMTS MIC covers, in their order for it (DOCSIS 1.1 and 2.0; SP-RFIv2.0, annex D.2).
const IN_CMTS_MIC: [u8; 21] =
    [1, 2, 3, 4, 17, 43, CM_MIC, 18, 19, 20, 22, 23, 24, 25, 28, 29, 26, 35, 36, 37, 40];

/// Returns the file with these elements. The CMTS checks it with the shared secret.
pub(crate) fn encode(tlvs: &[Tlv], secret: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    tlvs.iter().for_each(|tlv| tlv.write(&mut file));
    let cm_mic = Tlv::new(CM_MIC, Md5::digest(&file).to_vec());
    cm_mic.write(&mut file);

    let mut covered = Vec::new();
    for kind in IN_CMTS_MIC {
        let all = tlvs.iter().chain([&cm_mic]);
        all.filter(|tlv| tlv.kind == kind).for_each(|tlv| tlv.write(&mut covered));
    }
    Tlv::new(CMTS_MIC, hmac_md5(secret, &covered)).write(&mut file);

    file.push(END);
    file.resize(file.len().next_multiple_of(4), PAD);
    file
}
