//! Reads class linkage (IFCE): the classes of a shader, its class instances, and the classes that may implement each
//! interface slot.
//!
//! The chunk begins with nine words: the numbers of instances, classes, slot records and slots, the offsets of the
//! instances, classes and slot records, and two words that are ignored here. A slot record covers as many consecutive
//! slots as it states; records follow each other in the order of the slots.

use super::records::Records;
use super::{Chunk, ContainerError, limit};
use crate::limits::Limits;
use crate::reader::Reader;

/// Class linkage of a shader with interfaces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassLinkage {
    /// The classes. Instances and slots name them by their position here.
    pub classes: Vec<ClassType>,
    /// The instances that the source declares, except those of classes without data.
    pub instances: Vec<ClassInstance>,
    /// The interface slots that the shader uses, in their order.
    pub slots: Vec<InterfaceSlots>,
}

/// A class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassType {
    /// Its name.
    pub name: String,
    /// Vectors of 16 bytes that an instance's data take in a constant buffer.
    pub vectors: u16,
    /// Textures of an instance.
    pub textures: u16,
    /// Samplers of an instance.
    pub samplers: u16,
}

impl ClassType {
    /// `true` if its instances are all alike.
    pub fn has_no_data(&self) -> bool {
        self.vectors == 0 && self.textures == 0 && self.samplers == 0
    }
}

/// An instance of a class, or an array of them, that the source declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassInstance {
    /// Its name.
    pub name: String,
    /// The number of its class.
    pub class: u16,
    /// Elements of the array; 1 if it is not one.
    pub count: u16,
    /// The constant buffer that holds its data.
    pub constant_buffer: Option<u16>,
    /// The first vector of its data there.
    pub vector: u16,
    /// Its first texture.
    pub texture: Option<u16>,
    /// Its first sampler.
    pub sampler: Option<u16>,
}

/// Consecutive interface slots that take the same classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterfaceSlots {
    /// The first slot, which is the number of fp#.
    pub first: u32,
    /// Number of slots.
    pub count: u32,
    /// Classes that may implement them.
    pub choices: Vec<ClassChoice>,
}

/// A class that may implement an interface slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassChoice {
    /// The number of the class.
    pub class: u16,
    /// The number of its function table ft# for the slot.
    pub table: u32,
}

/// The number that means no register.
const NONE: u16 = u16::MAX;

impl ClassLinkage {
    pub(super) fn parse(chunk: &Chunk<'_>, limits: &Limits) -> Result<Self, ContainerError> {
        let start = chunk.reader();
        let mut reader = start;
        let [instance_count, class_count, record_count, _slots] =
            [reader.u32()?, reader.u32()?, reader.u32()?, reader.u32()?];
        let [instance_offset, class_offset, record_offset] = [reader.u32()?, reader.u32()?, reader.u32()?];
        let mut records = Records::new(start, limits, "class linkage records");
        records.count(chunk.at, instance_count)?;
        records.count(chunk.at + 4, class_count)?;
        records.count(chunk.at + 8, record_count)?;

        let mut reader = start.seek(class_offset)?;
        let classes =
            (0..class_count).map(|_| ClassType::parse(&mut records, &mut reader)).collect::<Result<_, _>>()?;
        let mut reader = start.seek(instance_offset)?;
        let instances =
            (0..instance_count).map(|_| ClassInstance::parse(&mut records, &mut reader)).collect::<Result<_, _>>()?;
        let mut reader = start.seek(record_offset)?;
        let mut slots: Vec<InterfaceSlots> = Vec::new();
        for _ in 0..record_count {
            let first = slots.last().map_or(0, |before| before.first + before.count);
            slots.push(InterfaceSlots::parse(&mut records, &mut reader, first)?);
        }
        Ok(Self { classes, instances, slots })
    }

    /// The class with this number.
    pub fn class(&self, number: u16) -> Option<&ClassType> {
        self.classes.get(usize::from(number))
    }

    /// The classes that may implement a slot.
    pub fn choices(&self, slot: u32) -> &[ClassChoice] {
        let holds = |record: &&InterfaceSlots| slot.checked_sub(record.first).is_some_and(|n| n < record.count);
        self.slots.iter().find(holds).map_or(&[], |record| &record.choices)
    }
}

impl ClassType {
    fn parse<'a>(records: &mut Records<'a, '_>, reader: &mut Reader<'a>) -> Result<Self, ContainerError> {
        let name = records.name(reader)?;
        let [_unknown, vectors, textures, samplers] = [reader.u16()?, reader.u16()?, reader.u16()?, reader.u16()?];
        Ok(Self { name, vectors, textures, samplers })
    }
}

impl ClassInstance {
    fn parse<'a>(records: &mut Records<'a, '_>, reader: &mut Reader<'a>) -> Result<Self, ContainerError> {
        let name = records.name(reader)?;
        let [class, count] = [reader.u16()?, reader.u16()?];
        let [buffer, vector, texture, sampler] = [reader.u16()?, reader.u16()?, reader.u16()?, reader.u16()?];
        let register = |number: u16| (number != NONE).then_some(number);
        let [constant_buffer, texture, sampler] = [buffer, texture, sampler].map(register);
        Ok(Self { name, class, count: count.max(1), constant_buffer, vector, texture, sampler })
    }
}

impl InterfaceSlots {
    fn parse<'a>(records: &mut Records<'a, '_>, reader: &mut Reader<'a>, first: u32) -> Result<Self, ContainerError> {
        let at = reader.at();
        let count = reader.u32()?;
        let most = records.limits.declared_registers;
        if count > most || first > most {
            return Err(limit(at, "interface slots", count.max(first), most));
        }
        let choice_count = reader.u32()?;
        records.count(at + 4, choice_count)?;
        let [classes, tables] = [reader.u32()?, reader.u32()?];
        let (mut classes, mut tables) = (records.start.seek(classes)?, records.start.seek(tables)?);
        let choice = |_| Ok(ClassChoice { class: classes.u16()?, table: tables.u32()? });
        let choices = (0..choice_count).map(choice).collect::<Result<_, ContainerError>>()?;
        Ok(Self { first, count, choices })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::FourCc;

    /// One class `A` of two vectors, an array `a` of three instances, two slots for `A` by ft5.
    fn words() -> Vec<u32> {
        let [classes, instances, slots, choices, names] = [0x24, 0x30, 0x40, 0x50, 0x58];
        let mut words = vec![1, 1, 1, 2, instances, classes, slots, 0, 1];
        words.extend([names, 2 << 16, 0]);
        words.extend([names + 4, 3 << 16, 4 | 7 << 16, u32::MAX]);
        words.extend([2, 1, choices, choices + 4]);
        words.extend([0, 5]);
        words.extend([u32::from_le_bytes(*b"A\0\0\0"), u32::from_le_bytes(*b"a\0\0\0")]);
        words
    }

    fn parse(words: &[u32]) -> Result<ClassLinkage, ContainerError> {
        let data: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        ClassLinkage::parse(&Chunk { name: FourCc(*b"IFCE"), at: 100, data: &data }, &Limits::default())
    }

    #[test]
    fn records_are_read_from_where_the_header_says() {
        let linkage = parse(&words()).unwrap();
        let class = ClassType { name: "A".into(), vectors: 2, textures: 0, samplers: 0 };
        assert_eq!(linkage.classes, [class]);
        let [instance] = &linkage.instances[..] else { panic!("{linkage:?}") };
        assert_eq!((instance.name.as_str(), instance.class, instance.count), ("a", 0, 3));
        assert_eq!((instance.constant_buffer, instance.vector), (Some(4), 7));
        assert_eq!((instance.texture, instance.sampler), (None, None));
        let choices = vec![ClassChoice { class: 0, table: 5 }];
        assert_eq!(linkage.slots, [InterfaceSlots { first: 0, count: 2, choices: choices.clone() }]);
        assert_eq!(linkage.choices(1), choices);
        assert_eq!(linkage.choices(2), []);
    }

    #[test]
    fn every_cut_is_an_error_that_names_a_byte() {
        let words = words();
        for length in 0..words.len() - 1 {
            let error = parse(&words[..length]).unwrap_err();
            assert!(error.at() >= 100, "{error}");
        }
    }

    #[test]
    fn counts_are_held_against_the_limits() {
        for at in [0, 1, 2, 16, 17] {
            let mut words = words();
            words[at] = u32::MAX;
            assert!(matches!(parse(&words), Err(ContainerError::Limit { .. })), "word {at}");
        }
    }
}
